"""The version of the program: what people see, and what releases are called."""

from importlib.util import find_spec

VERSION = "0.1.0"


def compiled() -> bool:
    """Whether the resolver is there as machine code (`make compiled`), and not only as text. Does not import it."""
    spec = find_spec("index.resolver.evaluate")
    return spec is not None and not (spec.origin or ".py").endswith(".py")


def form() -> str:
    """The version, and the form if it is not the usual one, for people."""
    return f"{VERSION} (compiled)" if compiled() else VERSION
