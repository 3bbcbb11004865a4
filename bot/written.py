"""Our nouns <-> JSON that may wait in a database and come out as the same noun. What does not fit is refused, never guessed."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from index.errors import StorageError

T = TypeVar("T")


_adapters: dict[Any, TypeAdapter[Any]] = {}


def _adapter(kind: Any) -> TypeAdapter[Any]:
    if kind not in _adapters:
        _adapters[kind] = TypeAdapter(kind)
    return _adapters[kind]


def to_json(noun: Any) -> dict[str, Any]:
    """A dataclass -> a dictionary of strings, numbers, lists and dictionaries."""
    found: dict[str, Any] = _adapter(type(noun)).dump_python(noun, mode="json")
    return found


def of_json(kind: type[T], data: Any) -> T:
    """The other way round. Raises StorageError."""
    try:
        found: T = _adapter(kind).validate_python(data)
    except ValidationError as error:
        raise StorageError(f"A stored {kind.__name__} can't be read any more ({error.error_count()} of its fields).") from error
    return found
