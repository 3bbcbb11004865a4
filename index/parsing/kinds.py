"""The small set of node kinds that every grammar is folded to, so that the resolver reads all languages alike."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

from index.numbers import plain


class Kind(IntEnum):
    """Node kinds, outer ones first: of two nodes that cover the same bytes the one with the smaller number is the outer one.

    0 is dropped: its children belong to the nearest kept ancestor.
    """

    DROP = 0
    MODULE = 1
    NAMESPACE = 2
    BLOCK = 3
    EXPORT = 4
    DECORATED = 5
    DECLARATION = 6  # const, let, var
    IMPORT = 10
    IMPORT_FROM = 11
    FUTURE = 12
    IF = 13
    FOR = 14
    WHILE = 15
    TRY = 16
    EXCEPT = 17
    WITH = 18
    WITH_ITEM = 19
    MATCH = 20
    CASE = 21
    RETURN = 22
    RAISE = 23
    DELETE = 24
    GLOBAL = 25
    NONLOCAL = 26
    TYPE_ALIAS = 27
    ENUM = 28
    INTERFACE = 29
    DECLARATOR = 30
    ENUM_MEMBER = 31
    SIGNATURE = 32  # a method or property of an interface, an overload without body
    FIELD = 33
    CLASS = 34
    FUNC = 35
    LAMBDA = 36
    HERITAGE = 37
    IMPLEMENTS = 38
    IMPORT_CLAUSE = 39
    NAMED_IMPORTS = 40
    NAMESPACE_IMPORT = 41
    SPECIFIER = 42
    DECORATOR = 43
    STATIC = 44
    ASSIGN = 50
    AUGMENT = 51
    WALRUS = 52
    PARAMS = 53
    PARAM_TYPED = 54
    PARAM_DEFAULT = 55
    PARAM_TYPED_DEFAULT = 56
    KEYWORD_MARK = 57
    POSITIONAL_MARK = 58
    AS = 59
    TYPE = 60
    TYPE_PARAMS = 61
    TYPE_ARGS = 62
    GENERIC = 63
    UNION = 64
    INTERSECTION = 65
    ARRAY_TYPE = 66
    FUNC_TYPE = 67
    OBJECT_TYPE = 68
    TYPE_QUERY = 69
    PREDEFINED = 70
    PREDICATE = 74  # `x is T` as a return type
    KEYOF = 75
    LOOKUP = 76  # T["name"]
    CONDITIONAL_TYPE = 77
    TUPLE_TYPE = 78
    INFER = 79
    CASE_PATTERN = 71
    CLASS_PATTERN = 72
    KEYWORD_PATTERN = 73
    SPREAD = 80
    KEYWORD_SPREAD = 81
    COMPREHENSION = 82
    FOR_IN = 83
    SEQUENCE = 84
    CONDITIONAL = 85
    BOOLEAN = 86
    NOT = 87
    COMPARE = 88
    BINARY = 89
    UNARY = 90
    AWAIT = 91
    YIELD = 92
    CAST = 93
    NON_NULL = 94
    NEW = 95
    CALL = 96
    ARGS = 97
    KEYWORD = 98
    SUBSCRIPT = 99
    SLICE = 100
    ATTRIBUTE = 101
    LIST = 102
    TUPLE = 103
    SET = 104
    DICT = 105
    PAIR = 106
    METHOD_PAIR = 107
    STRING = 108
    TEMPLATE = 109
    INTERPOLATION = 110
    JSX = 111
    JSX_OPENING = 112
    JSX_ATTRIBUTE = 113
    OBJECT_PATTERN = 114
    ARRAY_PATTERN = 115
    PAIR_PATTERN = 116
    JSX_CLOSING = 117
    TYPE_PARAM = 118
    ALIASED = 120
    RELATIVE = 121
    PREFIX = 122
    WILDCARD = 123
    DOTTED = 124
    LITERAL = 125
    NUMBER = 126
    TEXT = 127
    THIS = 128
    SUPER = 129
    COMPUTED = 130
    PROPERTY_NAME = 131  # the name in a.b, {b: 1} and a class body: never looked up in a scope
    SHORTHAND = 132  # {b}: a property name and a reference at once
    NAME = 133
    ERROR = 134
    TYPE_NAME = 135  # a name in a type position: types, classes, enums and namespaces are meant, not values
    SHORTHAND_PATTERN = 136  # {b} on the left: a property name and a target at once
    DYNAMIC_IMPORT = 137
    SATISFIES = 138  # never of the same bytes as what it holds
    REGEX = 139


if not TYPE_CHECKING:
    Kind = plain(Kind)
