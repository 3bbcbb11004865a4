"""A shop of two files and a test, and the change that breaks it: what the flows are told of where any repository will do."""

from __future__ import annotations

SHOP = {
    "shop/price.py": "def price(net):\n    return net * 2\n",
    "shop/cart.py": "from shop.price import price\n\n\ndef total(items):\n    return sum(price(one) for one in items)\n",
    "tests/test_cart.py": "from shop.cart import total\n\n\ndef test_total():\n    assert total([1]) == 2\n",
}
NEEDS_TAX = {"shop/price.py": "def price(net, tax):\n    return net * (1 + tax)\n"}
