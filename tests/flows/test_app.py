"""The GitHub App from a delivery to what people see, against the simulated GitHub."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.service import a_service

pytestmark = pytest.mark.anyio

SHOP = {
    "shop/price.py": "def price(net):\n    return net * 2\n",
    "shop/cart.py": "from shop.price import price\n\n\ndef total(items):\n    return sum(price(one) for one in items)\n",
    "tests/test_cart.py": "from shop.cart import total\n\n\ndef test_total():\n    assert total([1]) == 2\n",
}
NEEDS_TAX = {"shop/price.py": "def price(net, tax):\n    return net * (1 + tax)\n"}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def test_an_opened_pull_request_gets_one_comment_and_one_check(tmp_path: Path) -> None:
    async with a_service(tmp_path) as service:
        shop = service.sim.repository("acme/shop", SHOP)
        pull = service.sim.open_pull_request(shop, NEEDS_TAX)

        assert await service.tell_pull(shop, pull, "opened") == 202
        await service.settled()

        (comment,) = service.sim.our_comments(shop, pull.number)
        assert "1 site will break" in comment.body and "shop/cart.py:5" in comment.body
        (check,) = service.sim.checks(shop, pull.head_sha)
        assert (check["status"], check["conclusion"]) == ("completed", "neutral")
        assert await service.dead() == []
        assert service.sim.violations == []
