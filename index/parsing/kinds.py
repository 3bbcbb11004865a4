"""The small set of node kinds that every grammar is folded to, so that the resolver reads all languages alike."""

from __future__ import annotations

from typing import Final


class Kind:
    """Node kinds, outer ones first: of two nodes that cover the same bytes the one with the smaller number is the outer one. Plain numbers,
    for the reasons that `index.numbers` gives.

    0 is dropped: its children belong to the nearest kept ancestor.
    """

    DROP: Final = 0
    MODULE: Final = 1
    NAMESPACE: Final = 2
    BLOCK: Final = 3
    EXPORT: Final = 4
    DECORATED: Final = 5
    DECLARATION: Final = 6  # const, let, var
    IMPORT: Final = 10
    IMPORT_FROM: Final = 11
    FUTURE: Final = 12
    IF: Final = 13
    FOR: Final = 14
    WHILE: Final = 15
    TRY: Final = 16
    EXCEPT: Final = 17
    WITH: Final = 18
    WITH_ITEM: Final = 19
    MATCH: Final = 20
    CASE: Final = 21
    RETURN: Final = 22
    RAISE: Final = 23
    DELETE: Final = 24
    GLOBAL: Final = 25
    NONLOCAL: Final = 26
    TYPE_ALIAS: Final = 27
    ENUM: Final = 28
    INTERFACE: Final = 29
    DECLARATOR: Final = 30
    ENUM_MEMBER: Final = 31
    SIGNATURE: Final = 32  # a method or property of an interface, an overload without body
    FIELD: Final = 33
    CLASS: Final = 34
    FUNC: Final = 35
    LAMBDA: Final = 36
    HERITAGE: Final = 37
    IMPLEMENTS: Final = 38
    IMPORT_CLAUSE: Final = 39
    NAMED_IMPORTS: Final = 40
    NAMESPACE_IMPORT: Final = 41
    SPECIFIER: Final = 42
    DECORATOR: Final = 43
    STATIC: Final = 44
    ASSIGN: Final = 50
    AUGMENT: Final = 51
    WALRUS: Final = 52
    PARAMS: Final = 53
    PARAM_TYPED: Final = 54
    PARAM_DEFAULT: Final = 55
    PARAM_TYPED_DEFAULT: Final = 56
    KEYWORD_MARK: Final = 57
    POSITIONAL_MARK: Final = 58
    AS: Final = 59
    TYPE: Final = 60
    TYPE_PARAMS: Final = 61
    TYPE_ARGS: Final = 62
    GENERIC: Final = 63
    UNION: Final = 64
    INTERSECTION: Final = 65
    ARRAY_TYPE: Final = 66
    FUNC_TYPE: Final = 67
    OBJECT_TYPE: Final = 68
    TYPE_QUERY: Final = 69
    PREDEFINED: Final = 70
    PREDICATE: Final = 74  # `x is T` as a return type
    KEYOF: Final = 75
    LOOKUP: Final = 76  # T["name"]
    CONDITIONAL_TYPE: Final = 77
    TUPLE_TYPE: Final = 78
    INFER: Final = 79
    CASE_PATTERN: Final = 71
    CLASS_PATTERN: Final = 72
    KEYWORD_PATTERN: Final = 73
    SPREAD: Final = 80
    KEYWORD_SPREAD: Final = 81
    COMPREHENSION: Final = 82
    FOR_IN: Final = 83
    SEQUENCE: Final = 84
    CONDITIONAL: Final = 85
    BOOLEAN: Final = 86
    NOT: Final = 87
    COMPARE: Final = 88
    BINARY: Final = 89
    UNARY: Final = 90
    AWAIT: Final = 91
    YIELD: Final = 92
    CAST: Final = 93
    NON_NULL: Final = 94
    NEW: Final = 95
    CALL: Final = 96
    ARGS: Final = 97
    KEYWORD: Final = 98
    SUBSCRIPT: Final = 99
    SLICE: Final = 100
    ATTRIBUTE: Final = 101
    LIST: Final = 102
    TUPLE: Final = 103
    SET: Final = 104
    DICT: Final = 105
    PAIR: Final = 106
    METHOD_PAIR: Final = 107
    STRING: Final = 108
    TEMPLATE: Final = 109
    INTERPOLATION: Final = 110
    JSX: Final = 111
    JSX_OPENING: Final = 112
    JSX_ATTRIBUTE: Final = 113
    OBJECT_PATTERN: Final = 114
    ARRAY_PATTERN: Final = 115
    PAIR_PATTERN: Final = 116
    JSX_CLOSING: Final = 117
    TYPE_PARAM: Final = 118
    ALIASED: Final = 120
    RELATIVE: Final = 121
    PREFIX: Final = 122
    WILDCARD: Final = 123
    DOTTED: Final = 124
    LITERAL: Final = 125
    NUMBER: Final = 126
    TEXT: Final = 127
    THIS: Final = 128
    SUPER: Final = 129
    COMPUTED: Final = 130
    PROPERTY_NAME: Final = 131  # the name in a.b, {b: 1} and a class body: never looked up in a scope
    SHORTHAND: Final = 132  # {b}: a property name and a reference at once
    NAME: Final = 133
    ERROR: Final = 134
    TYPE_NAME: Final = 135  # a name in a type position: types, classes, enums and namespaces are meant, not values
    SHORTHAND_PATTERN: Final = 136  # {b} on the left: a property name and a target at once
    DYNAMIC_IMPORT: Final = 137
    SATISFIES: Final = 138  # never of the same bytes as what it holds
    REGEX: Final = 139
