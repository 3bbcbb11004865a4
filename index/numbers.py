"""The enums that hot code compares, as plain whole numbers.

Comparing a number with a member of an IntEnum costs three times what comparing two numbers does (0.21 against 0.06
microseconds), and reading a member from its class is slower too; the resolver does both millions of times. Where the resolver
is compiled (`make compiled`), a `Final` number is part of the machine code. Labels and words are with the enums in `index.types`,
which a test holds these against.
"""

from __future__ import annotations

from typing import Final


class SymbolKind:
    MODULE: Final = 0
    CLASS: Final = 1
    FUNCTION: Final = 2
    METHOD: Final = 3
    PROPERTY: Final = 4
    CONSTANT: Final = 5
    FIELD: Final = 6
    INTERFACE: Final = 7
    TYPE: Final = 8
    ENUM: Final = 9
    MEMBER: Final = 10
    NAMESPACE: Final = 11
    LAMBDA: Final = 12


class EdgeKind:
    CALL: Final = 0
    DECORATE: Final = 1
    ACCESS: Final = 2
    PASS: Final = 3
    READ: Final = 4
    WRITE: Final = 5
    INHERIT: Final = 6
    IMPLEMENT: Final = 7
    OVERRIDE: Final = 8
    TYPE: Final = 9
    IMPORT: Final = 10
    REEXPORT: Final = 11


class Step:
    SCOPE: Final = 1
    IMPORT: Final = 2
    REEXPORT: Final = 3
    STAR: Final = 4
    ATTRIBUTE: Final = 5
    SELF: Final = 6
    SUPER: Final = 7
    CONSTRUCT: Final = 8
    DECLARED: Final = 9
    ASSIGN: Final = 10
    RETURN: Final = 11
    ARGUMENT: Final = 12
    ELEMENT: Final = 13
    DISPATCH: Final = 14
    IMPLICIT: Final = 15


class Unresolved:
    RECEIVER: Final = 0
    NAME: Final = 1
    DYNAMIC: Final = 2
    MISSING: Final = 3
    AMBIGUOUS: Final = 4
