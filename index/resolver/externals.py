"""What we know of functions outside the project: which give back what they are given, and which call what they are given."""

from __future__ import annotations

import builtins
from typing import Final

BUILTIN_NAMES: Final = frozenset(dir(builtins)) | {"__file__", "__name__", "__doc__", "__path__", "__spec__", "__package__", "__builtins__"}

# Types all of whose members are known: a member that they lack is no open question. Any exception may be subclassed.
_PLAIN: Final = "int str bytes float bool complex bytearray memoryview range slice"
PLAIN_TYPES: Final = frozenset({f"builtins.{name}" for name in _PLAIN.split()}) | {
    f"builtins.{name}" for name, one in vars(builtins).items()
    if isinstance(one, type) and issubclass(one, BaseException) and one not in (BaseException, Exception)
}  # fmt: skip
# Names that may stand in an annotation which allows nothing but such types.
PLAIN_WORDS: Final = frozenset(name.removeprefix("builtins.") for name in PLAIN_TYPES) | frozenset(
    "None Optional Union Literal Final ClassVar Annotated t typing".split()
)

# Calling these gives argument `n` back as it is (wrapped perhaps, but callable and usable as before).
RETURNS_ARGUMENT: Final[dict[str, int]] = {
    "functools.lru_cache": 0, "functools.cache": 0, "functools.singledispatch": 0, "functools.total_ordering": 0,
    "functools.cached_property": 0,
    "functools.update_wrapper": 0, "typing.final": 0, "typing.no_type_check": 0, "typing.runtime_checkable": 0,
    "typing_extensions.final": 0,
    "dataclasses.dataclass": 0, "dataclasses.replace": 0, "copy.copy": 0, "copy.deepcopy": 0, "weakref.proxy": 0, "weakref.ref": 0,
    "contextlib.contextmanager": 0, "contextlib.asynccontextmanager": 0, "contextlib.nullcontext": 0, "contextlib.closing": 0,
    "asyncio.create_task": 0, "asyncio.ensure_future": 0, "asyncio.wait_for": 0, "asyncio.shield": 0, "asyncio.run": 0,
    "asyncio.coroutine": 0,
    "types.coroutine": 0, "types.MethodType": 0, "builtins.iter": 0, "builtins.staticmethod": 0, "builtins.classmethod": 0,
    "abc.abstractmethod": 0,
    "pytest.fixture": 0, "typing.overload": 0, "typing.override": 0, "typing_extensions.override": 0, "enum.unique": 0,
    "atexit.register": 0,
    "unittest.mock.patch": 0, "inspect.unwrap": 0, "attr.s": 0, "attr.attrs": 0, "attrs.define": 0, "attrs.frozen": 0, "attr.define": 0,
    "functools.wraps.result": 0, "types.MappingProxyType": 0,
}  # fmt: skip

# Calling these with some options gives a decorator that gives its argument back.
DECORATOR_FACTORIES: Final = frozenset(
    {
        "functools.lru_cache", "functools.wraps", "dataclasses.dataclass", "pytest.fixture", "pytest.mark", "attr.s", "attrs.define",
        "attrs.frozen",
        "unittest.skip", "unittest.skipIf", "unittest.skipUnless", "typing.dataclass_transform", "functools.singledispatchmethod",
    }
)  # fmt: skip

# These make a container of what they iterate over.
COLLECTS: Final = frozenset(
    {
        "builtins.list", "builtins.tuple", "builtins.set", "builtins.frozenset", "builtins.sorted", "builtins.reversed", "builtins.dict",
        "collections.deque", "collections.OrderedDict", "itertools.chain", "itertools.cycle", "itertools.islice", "asyncio.as_completed",
    }
)  # fmt: skip
ONE_ELEMENT: Final = frozenset({"builtins.next", "builtins.min", "builtins.max", "random.choice", "builtins.anext"})

# These call the function(s) they are given: argument positions, then keywords.
CALLS_ARGUMENT: Final[dict[str, tuple[tuple[int, ...], tuple[str, ...]]]] = {
    "builtins.map": ((0,), ()), "builtins.filter": ((0,), ()), "builtins.sorted": ((), ("key",)), "builtins.min": ((), ("key",)),
    "builtins.max": ((), ("key",)), "functools.reduce": ((0,), ()), "itertools.starmap": ((0,), ()), "itertools.takewhile": ((0,), ()),
    "itertools.dropwhile": ((0,), ()), "itertools.filterfalse": ((0,), ()), "itertools.groupby": ((1,), ("key",)),
    "itertools.accumulate": ((1,), ("func",)), "heapq.nlargest": ((), ("key",)), "heapq.nsmallest": ((), ("key",)),
    "heapq.merge": ((), ("key",)),
    "bisect.bisect": ((), ("key",)), "asyncio.to_thread": ((0,), ()), "threading.Thread": ((1,), ("target",)),
    "threading.Timer": ((1,), ("function",)),
    "multiprocessing.Process": ((1,), ("target",)), "atexit.register": ((0,), ()), "signal.signal": ((1,), ()), "re.sub": ((1,), ("repl",)),
    "weakref.finalize": ((1,), ()), "builtins.iter": ((0,), ()), "contextvars.copy_context().run": ((0,), ()), "anyio.run": ((0,), ()),
    "trio.run": ((0,), ()), "timeit.timeit": ((0,), ()), "collections.defaultdict": ((0,), ()),
    "dataclasses.field": ((), ("default_factory",)),
    "json.dumps": ((), ("default", "cls")), "json.loads": ((), ("object_hook",)), "unittest.case.assertRaises": ((1,), ()),
    "click.testing.CliRunner().invoke": ((0,), ()),
}  # fmt: skip

# Methods of objects outside the project (or unknown) that run what they are given.
CALLS_ARGUMENT_METHODS: Final[dict[str, tuple[int, ...]]] = {
    "submit": (0,), "map": (0,), "run_in_executor": (1,), "call_soon": (0,), "call_later": (1,), "call_at": (1,),
    "call_soon_threadsafe": (0,),
    "add_done_callback": (0,), "apply_async": (0,), "starmap": (0,), "run_until_complete": (0,), "then": (0, 1), "catch": (0,),
    "finally": (0,),
    "forEach": (0,), "filter": (0,), "reduce": (0,), "reduceRight": (0,), "some": (0,), "every": (0,), "find": (0,), "findIndex": (0,),
    "findLast": (0,), "flatMap": (0,), "sort": (0,), "replace": (1,), "replaceAll": (1,), "assertRaises": (1,), "raises": (1,),
    "callback": (0,),
    "enter_context": (), "addCleanup": (0,), "sub": (0,),
}  # fmt: skip

# Keyword arguments of methods that are called with each element of the receiver.
CALLS_KEYWORD_METHODS: Final[dict[str, tuple[str, ...]]] = {"sort": ("key",)}
# The function that these are given gets elements of the argument at this place.
GIVES_ELEMENTS: Final[dict[str, int]] = {
    "builtins.sorted": 0, "builtins.min": 0, "builtins.max": 0, "builtins.filter": 1, "functools.reduce": 1, "itertools.groupby": 0,
    "itertools.takewhile": 1, "itertools.dropwhile": 1, "itertools.filterfalse": 1, "itertools.accumulate": 0, "heapq.nlargest": 1,
    "heapq.nsmallest": 1,
}  # fmt: skip
# The function at this place gets the arguments that follow it.
GIVES_THE_REST: Final[dict[str, int]] = {
    "functools.partial": 0, "asyncio.to_thread": 0, "atexit.register": 0, "submit": 0, "run_in_executor": 1, "call_soon": 0,
    "call_later": 1,
    "call_at": 1, "call_soon_threadsafe": 0, "addCleanup": 0, "callback": 0,
}  # fmt: skip
# These iterate over arguments: from this position on, to the end or only that one.
ITERATED: Final[dict[str, tuple[int, bool]]] = {
    "builtins.map": (1, True), "builtins.filter": (1, False), "functools.reduce": (1, False), "collections.deque": (0, False),
    "heapq.merge": (0, True), "heapq.heapify": (0, False), "statistics.mean": (0, False), "math.fsum": (0, False),
    "random.choice": (0, False),
    "collections.Counter": (0, False), "builtins.dict.fromkeys": (0, False), "asyncio.gather": (0, True),
}  # fmt: skip
METHODS_THAT_ITERATE: Final = frozenset(
    {"join", "extend", "update", "fromkeys", "writelines", "extendleft", "union", "intersection", "difference"}
)
# Replacing something by a path in a text, or by an object and a name.
PATCHES: Final = frozenset({"unittest.mock.patch", "unittest.mock.patch.object", "mock.patch", "mock.patch.object"})
PATCH_METHODS: Final = frozenset({"setattr", "patch", "object", "spy"})

# A builtin that runs a dunder of its first argument.
DUNDER_OF_BUILTIN: Final[dict[str, tuple[str, ...]]] = {
    "len": ("__len__",), "str": ("__str__", "__repr__"), "repr": ("__repr__",), "bool": ("__bool__", "__len__"), "int": ("__int__",),
    "float": ("__float__",), "hash": ("__hash__",), "iter": ("__iter__",), "next": ("__next__",), "reversed": ("__reversed__",),
    "abs": ("__abs__",),
    "bytes": ("__bytes__",), "format": ("__format__", "__str__"), "print": ("__str__",), "list": ("__iter__",), "tuple": ("__iter__",),
    "set": ("__iter__",), "frozenset": ("__iter__",), "sorted": ("__iter__",), "sum": ("__iter__",), "any": ("__iter__",),
    "all": ("__iter__",),
    "enumerate": ("__iter__",), "min": ("__iter__",), "max": ("__iter__",), "dict": ("__iter__",), "round": ("__round__",),
    "dir": ("__dir__",),
    "complex": ("__complex__",), "divmod": ("__divmod__",), "pow": ("__pow__",), "aiter": ("__aiter__",), "anext": ("__anext__",),
    "isinstance": (), "zip": ("__iter__",), "map": (), "filter": (),
}  # fmt: skip
ITERATES: Final = frozenset({"list", "tuple", "set", "frozenset", "sorted", "sum", "any", "all", "enumerate", "min", "max", "dict", "zip"})
ASKS_FOR_LENGTH: Final = frozenset({"list", "tuple", "sorted"})  # before they iterate, so as to know how much room they need
# These run a special method of the elements of what they are given.
ACTS_ON_ELEMENTS: Final[dict[str, tuple[str, ...]]] = {
    "set": ("__hash__",), "frozenset": ("__hash__",), "sorted": ("__lt__",), "min": ("__lt__",), "max": ("__gt__",),
    "sum": ("__radd__", "__add__"),
}  # fmt: skip
# These compare what they are given, or its elements, with each other.
COMPARES: Final = frozenset(
    {
        "heapq.heappush", "heapq.heappop", "heapq.heapify", "heapq.heappushpop", "heapq.heapreplace", "heapq.nlargest", "heapq.nsmallest",
        "heapq.merge", "bisect.bisect", "bisect.bisect_left", "bisect.bisect_right", "bisect.insort", "bisect.insort_left",
        "bisect.insort_right",
    }
)  # fmt: skip
# Methods of containers whose first argument is looked for in them.
TAKES_KEY: Final = frozenset({"add", "discard", "get", "pop", "remove", "setdefault", "index", "count"})

BINARY_DUNDERS: Final[dict[str, str]] = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow", "@": "matmul", "&": "and", "|": "or",
    "^": "xor",
    "<<": "lshift", ">>": "rshift",
}  # fmt: skip
COMPARE_DUNDERS: Final[dict[str, tuple[str, ...]]] = {
    "==": ("__eq__",), "!=": ("__ne__", "__eq__"), "<": ("__lt__",), "<=": ("__le__",), ">": ("__gt__",), ">=": ("__ge__",),
}  # fmt: skip
MIRRORED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
UNARY_DUNDERS: Final = {"-": "__neg__", "+": "__pos__", "~": "__invert__"}

# Container annotations: which type argument is the element, which the key.
ELEMENT_OF: Final[dict[str, int]] = {
    "list": 0, "List": 0, "set": 0, "Set": 0, "frozenset": 0, "FrozenSet": 0, "Sequence": 0, "MutableSequence": 0, "Iterable": 0,
    "Iterator": 0,
    "Collection": 0, "deque": 0, "Deque": 0, "AsyncIterator": 0, "AsyncIterable": 0, "Generator": 0, "AsyncGenerator": 0, "AbstractSet": 0,
    "MutableSet": 0, "Reversible": 0, "Queue": 0, "dict": 1, "Dict": 1, "Mapping": 1, "MutableMapping": 1, "defaultdict": 1,
    "DefaultDict": 1,
    "OrderedDict": 1, "WeakValueDictionary": 1, "ChainMap": 1, "Counter": 0, "WeakSet": 0, "ContextVar": 0,
    "Array": 0, "ReadonlyArray": 0, "ReadonlySet": 0, "IterableIterator": 0, "AsyncIterableIterator": 0, "Map": 1, "ReadonlyMap": 1,
    "WeakMap": 1,
    "Record": 1,
}  # fmt: skip
# Annotations that stand for (one of) their arguments.
TRANSPARENT: Final[dict[str, tuple[int, ...]]] = {
    "Optional": (0,), "Annotated": (0,), "ClassVar": (0,), "Final": (0,), "Required": (0,), "NotRequired": (0,), "ReadOnly": (0,),
    "Awaitable": (0,),
    "Coroutine": (2,), "ContextManager": (0,), "AsyncContextManager": (0,), "AbstractContextManager": (0,),
    "AbstractAsyncContextManager": (0,),
    "Union": tuple(range(8)), "InitVar": (0,), "TypeGuard": (), "Literal": (), "Promise": (0,), "PromiseLike": (0,), "Readonly": (0,),
    "Partial": (0,),
    "NonNullable": (0,), "Awaited": (0,), "Pick": (0,), "Omit": (0,), "Mapped": (0,), "DeepReadonly": (0,),
}  # fmt: skip
MUTATORS: Final[dict[str, int]] = {
    "append": 0, "add": 0, "appendleft": 0, "insert": 1, "extend": 0, "update": 0, "setdefault": 1, "push": 0, "unshift": 0, "set": 1,
    "put": 0,
    "put_nowait": 0,
}  # fmt: skip
SPREADS: Final = frozenset({"extend", "update"})
REORDERS: Final = frozenset({"reverse", "sort", "shift", "popleft", "splice", "copyWithin"})
PUTS_BEFORE: Final = frozenset({"insert", "appendleft", "unshift"})  # of MUTATORS
ELEMENT_METHODS: Final = frozenset(
    {"get", "pop", "popleft", "popitem", "setdefault", "__getitem__", "shift", "at", "find", "findLast", "values", "get_nowait"}
)
COPY_METHODS: Final = frozenset({"copy", "values", "items", "filter", "slice", "concat", "reverse", "sort", "entries", "keys"})
