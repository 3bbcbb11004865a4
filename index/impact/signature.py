"""Text of a definition -> `Signature`; two signatures -> what changed and who can notice."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from tree_sitter import Node

from index.impact.nouns import Parameter, ParameterKind, Signature, SignatureChange, SignatureChangeKind
from index.impact.syntax import FAMILIES, parse, text_of, walk

POSITIONAL_KINDS: Final = frozenset(
    {ParameterKind.POSITIONAL_ONLY, ParameterKind.POSITIONAL, ParameterKind.DESTRUCTURED},
)
MAX_OVERLOADS: Final = 50
MAX_SHOWN: Final = 60  # characters of a type that are worth reading in a table
NAMED_KINDS: Final = frozenset({ParameterKind.POSITIONAL, ParameterKind.KEYWORD_ONLY})
GATHERING_KINDS: Final = frozenset({ParameterKind.STAR, ParameterKind.STAR_STAR, ParameterKind.REST})


@dataclass(frozen=True, slots=True)
class CallRules:
    """How a language binds arguments."""

    keywords: bool  # callers can name parameters, so a rename can break them
    strict: bool  # a call with the wrong number of arguments is an error (at run time, or for the compiler)
    receiver: bool  # the first parameter of a method is the object itself
    fault: str  # what happens at such a call


RULES: Final = {
    "python": CallRules(keywords=True, strict=True, receiver=True, fault="TypeError"),
    "typescript": CallRules(keywords=False, strict=True, receiver=False, fault="does not compile"),
    "javascript": CallRules(keywords=False, strict=False, receiver=False, fault="the value is `undefined`"),
}

# A definition cut out of its file may not stand alone: (what to put before it, after it), tried in order until one parses.
_FRAMES: Final = {
    "python": ((b"", b""), (b"class _:\n%s", b"")),
    "javascript": ((b"", b""), (b"class _ {\n", b"\n}"), (b"({\n", b"\n})"), (b"const ", b";")),
    "typescript": (
        (b"", b""),
        (b"class _ {\n", b"\n}"),
        (b"abstract class _ {\n", b"\n}"),
        (b"({\n", b"\n})"),
        (b"interface _ {\n", b"\n}"),
        (b"const ", b";"),
    ),
}
_CALLABLES: Final = {
    "python": frozenset({"function_definition", "lambda"}),
    "javascript": frozenset(
        {
            "function_declaration",
            "generator_function_declaration",
            "function_expression",
            "generator_function",
            "arrow_function",
            "method_definition",
        }
    ),
}
_CALLABLES_TS: Final = _CALLABLES["javascript"] | {
    "function_signature",
    "method_signature",
    "abstract_method_signature",
    "call_signature",
    "construct_signature",
}
_NOT_INTO: Final = frozenset(
    {"call", "call_expression", "new_expression", "decorator", "arguments", "argument_list"}
)  # a callable in there is not the value
CALLABLES: Final = {**_CALLABLES, "typescript": _CALLABLES_TS}


def read_signature(definition: bytes, grammar: str) -> Signature | None:
    """The bytes of one definition, decorators included -> its signature; None where it is not something that can be called."""
    indent = re.search(rb"(?m)^([ \t]+)(?:async[ \t]|def\b|class\b|@)", definition)
    for before, after in _FRAMES[FAMILIES[grammar]]:
        framed = before.replace(b"%s", indent[1] if indent else b" ") + definition + after
        root = parse(grammar, framed).root_node
        if root.has_error and after != _FRAMES[FAMILIES[grammar]][-1][1]:
            continue
        found = callable_in(root, grammar)
        if found is not None and not (found.has_error and before == b""):
            return signature_of(found, grammar)
    root = parse(grammar, definition).root_node
    found = callable_in(root, grammar)
    return None if found is None else signature_of(found, grammar)


def callable_in(node: Node, grammar: str) -> Node | None:
    """The outermost callable of a definition's node: the function itself, or the one that a variable is set to."""
    wanted, stack = CALLABLES[FAMILIES[grammar]], [node]
    while stack:
        found = stack.pop()
        if found.type in wanted:
            return found
        stack.extend(reversed([child for child in found.children if child.type not in _NOT_INTO]))
    return None


def signature_in(node: Node, span: tuple[int, int], grammar: str) -> Signature | None:
    """The node of a definition and its bytes -> its signature. Where the bytes hold several signatures of one function, each is one of
    `overloads`, and the parameters are those of the one with a body; None where nothing can be called."""
    several = _callables_in(node, span, grammar)
    if len(several) < 2:
        return signature_of(several[0], grammar) if several else None
    bodies = [one for one in several if one.child_by_field_name("body") is not None]
    seen = [one for one in several if one not in bodies]
    return replace(signature_of((bodies or several)[-1], grammar), overloads=tuple(signature_of(one, grammar) for one in seen))


def implementation_in(node: Node, span: tuple[int, int], grammar: str) -> Node | None:
    """The one of a definition's callables that has a body, else the last; None where nothing can be called."""
    several = _callables_in(node, span, grammar)
    return next((one for one in reversed(several) if one.child_by_field_name("body") is not None), several[-1] if several else None)


def _callables_in(node: Node, span: tuple[int, int], grammar: str) -> list[Node]:
    """One, or the overloads in the bytes of the definition where the node is what stands round them."""
    found = callable_in(node, grammar)
    if found is None or (span[0] <= node.start_byte and node.end_byte <= span[1]):
        return [] if found is None else [found]
    inside = [child for child in node.named_children if span[0] <= child.start_byte and child.end_byte <= span[1]]
    several = [one for child in inside[:MAX_OVERLOADS] if (one := callable_in(child, grammar)) is not None]
    return several or [found]


def views(signature: Signature) -> tuple[Signature, ...]:
    """The signatures that a caller may choose from. In Python the overloads are for type checkers alone: what runs is the definition
    under them, where there is one."""
    return (signature,) if runs_alone(signature) else signature.overloads


def runs_alone(signature: Signature) -> bool:
    """Does one definition take every call, whatever overloads say of it?"""
    return not signature.overloads or (signature.family == "python" and not is_overload(signature))


def is_overload(signature: Signature) -> bool:
    """Of Python: one of several signatures, without code."""
    return any(name.rpartition(".")[2] == "overload" for name in signature.decorators)


def signature_of(node: Node, grammar: str) -> Signature:
    """A callable's node (one of `CALLABLES`) -> its signature."""
    return _READERS[FAMILIES[grammar]](node, FAMILIES[grammar])


# Decorators and base classes that make a constructor of a class's annotated fields: last name -> are all of them keyword-only?
_RECORD_DECORATORS: Final = {"dataclass": False, "define": False, "frozen": False, "mutable": False}
_RECORD_BASES: Final = {"NamedTuple": False, "BaseModel": True}
_FACTORIES: Final = frozenset({"field", "Field", "attrib", "ib"})


def record_signature(node: Node, grammar: str) -> Signature | None:
    """The node of a class -> the signature of the constructor that its annotated fields make; None for any other class, for one that
    writes its own constructor, and for one with other base classes, whose fields come first and are not seen here."""
    if FAMILIES[grammar] != "python":
        return None
    holder = next((found for found in walk(node) if found.type == "class_definition"), None)
    body = holder.child_by_field_name("body") if holder is not None else None
    if holder is None or body is None:
        return None
    listed = holder.child_by_field_name("superclasses")
    bases = [text_of(one) for one in listed.named_children if one.type != "keyword_argument"] if listed is not None else []
    around = holder.parent if holder.parent is not None and holder.parent.type == "decorated_definition" else None
    decorators = tuple(text_of(one)[1:].strip() for one in around.children if one.type == "decorator") if around is not None else ()
    makers = [name for name in (one.split("(")[0].rpartition(".")[2] for one in decorators) if name in _RECORD_DECORATORS]
    parents = [one.split("[")[0].rpartition(".")[2] for one in bases]
    by_base = [one for one in parents if one in _RECORD_BASES]
    if not (makers or by_base) or any(one not in _RECORD_BASES and one not in ("object", "Generic", "Protocol", "ABC") for one in parents):
        return None
    own = {text_of(one.child_by_field_name("name")) for one in walk(body) if one.type == "function_definition"}
    if own & {"__init__", "__new__"}:
        return None
    keyword_only = any(_RECORD_BASES[one] for one in by_base) or any("kw_only=True" in one.replace(" ", "") for one in decorators)
    # pydantic passes over names that it does not know
    extra = (Parameter("extra", ParameterKind.STAR_STAR),) if "BaseModel" in by_base else ()
    return Signature((*_fields(body, keyword_only), *extra), family="python")


_CLASSES: Final = frozenset({"class_definition", "class_declaration", "abstract_class_declaration", "class", "interface_declaration"})


def class_in(node: Node) -> Node | None:
    """The outermost class of a definition's node."""
    return next((found for found in walk(node) if found.type in _CLASSES), None)


def base_names(node: Node) -> tuple[str, ...]:
    """The node of a class -> what it takes its constructor from, as written: base classes and a metaclass, no interfaces."""
    holder = class_in(node)
    if holder is None:
        return ()
    listed = holder.child_by_field_name("superclasses")
    if listed is not None:
        return tuple(
            text_of(child) for child in listed.named_children if child.type != "comment" and not text_of(child).endswith("ABCMeta")
        )
    heritage = [child for child in holder.children if child.type == "class_heritage"]
    clauses = [clause for one in heritage for clause in one.named_children if clause.type not in ("comment", "implements_clause")]
    extended = [one for child in holder.children if child.type == "extends_type_clause" for one in child.named_children]
    return tuple(text_of(clause.child_by_field_name("value") or clause) for clause in (*clauses, *extended))


def _fields(body: Node, keyword_only: bool) -> Iterator[Parameter]:
    for statement in body.named_children:
        assignment = statement.named_children[0] if statement.type == "expression_statement" and statement.named_children else None
        if assignment is None or assignment.type != "assignment" or assignment.child_by_field_name("type") is None:
            continue
        name, annotation = text_of(assignment.child_by_field_name("left")), text_of(assignment.child_by_field_name("type"))
        value = assignment.child_by_field_name("right")
        if annotation.rpartition(".")[2] == "KW_ONLY":
            keyword_only = True
            continue
        if annotation.split("[")[0].rpartition(".")[2] == "ClassVar" or not name.isidentifier():
            continue
        default, own_kind, taken = value is not None, keyword_only, True
        if value is not None and value.type == "call" and text_of(value.child_by_field_name("function")).rpartition(".")[2] in _FACTORIES:
            listed = value.child_by_field_name("arguments")
            said = {
                text_of(one.child_by_field_name("name")): text_of(one.child_by_field_name("value"))
                for one in (listed.named_children if listed is not None else ())
                if one.type == "keyword_argument"
            }
            first = next((one for one in (listed.named_children if listed is not None else ()) if one.type != "keyword_argument"), None)
            # an alias is another name to pass it by, which we do not follow
            default = bool({"default", "default_factory", "factory", "alias", "validation_alias"} & set(said)) or (
                first is not None and text_of(first) != "..."
            )
            own_kind, taken = said.get("kw_only") == "True" or keyword_only, said.get("init") != "False"
        if taken:
            kind = ParameterKind.KEYWORD_ONLY if own_kind else ParameterKind.POSITIONAL
            yield Parameter(name, kind, default, annotation, text_of(value))


def _python(node: Node, family: str) -> Signature:
    holder = node.parent if node.parent is not None and node.parent.type == "decorated_definition" else None
    decorators = tuple(text_of(child)[1:].strip() for child in holder.children if child.type == "decorator") if holder else ()
    listed = node.child_by_field_name("parameters")
    body = node.child_by_field_name("body")
    return Signature(
        parameters=tuple(_python_parameters(listed)) if listed else (),
        returns=text_of(node.child_by_field_name("return_type")),
        is_async=any(child.type == "async" for child in node.children),
        is_generator=body is not None and _yields(body, "yield", _CALLABLES["python"] | {"class_definition"}),
        decorators=decorators,
        is_static="staticmethod" in decorators,
        family=family,
    )


def _python_parameters(listed: Node) -> Iterator[Parameter]:
    children = [child for child in listed.named_children if child.type not in ("comment", "line_continuation")]
    slash = next((at for at, child in enumerate(children) if child.type == "positional_separator"), -1)
    keyword_only = False
    for at, child in enumerate(children):
        if child.type in ("positional_separator", "keyword_separator"):
            keyword_only |= child.type == "keyword_separator"
            continue
        annotation, default = text_of(child.child_by_field_name("type")), child.child_by_field_name("value")
        name = child.child_by_field_name("name") or (child.named_children[0] if child.type == "typed_parameter" else child)
        kind = {"list_splat_pattern": ParameterKind.STAR, "dictionary_splat_pattern": ParameterKind.STAR_STAR}.get(name.type)
        if kind is None:
            kind = ParameterKind.KEYWORD_ONLY if keyword_only else ParameterKind.POSITIONAL_ONLY if at < slash else ParameterKind.POSITIONAL
        keyword_only |= kind is ParameterKind.STAR
        yield Parameter(text_of(name).lstrip("* "), kind, default is not None, annotation, text_of(default))


def _script(node: Node, family: str) -> Signature:
    listed, single = node.child_by_field_name("parameters"), node.child_by_field_name("parameter")
    parameters = (
        tuple(_script_parameters(listed)) if listed else ((Parameter(text_of(single), ParameterKind.POSITIONAL),) if single else ())
    )
    words = {child.type for child in node.children}
    visibility = next((text_of(child) for child in node.children if child.type == "accessibility_modifier"), "")
    name = text_of(node.child_by_field_name("name"))
    body = node.child_by_field_name("body")
    return Signature(
        parameters=parameters,
        returns=text_of(node.child_by_field_name("return_type")).removeprefix(":").strip(),
        is_async="async" in words,
        is_generator="*" in words or (body is not None and node.type.startswith("generator")),
        decorators=tuple(_script_decorators(node)),
        is_static="static" in words,
        visibility="private" if name.startswith("#") else visibility,
        type_parameters=text_of(node.child_by_field_name("type_parameters")),
        family=family,
    )


def _script_decorators(node: Node) -> Iterator[str]:
    """A method's decorators stand before it, as its siblings or its children."""
    yield from (text_of(child)[1:].strip() for child in node.children if child.type == "decorator")
    before, found = node.prev_named_sibling, []
    while before is not None and before.type == "decorator":
        found.append(text_of(before)[1:].strip())
        before = before.prev_named_sibling
    yield from reversed(found)


def _script_parameters(listed: Node) -> Iterator[Parameter]:
    for child in listed.named_children:
        if child.type in ("comment", "decorator", "ERROR"):
            continue
        pattern = child.child_by_field_name("pattern") or child.child_by_field_name("left") or child
        default = child.child_by_field_name("value") or child.child_by_field_name("right")
        annotation = text_of(child.child_by_field_name("type")).removeprefix(":").strip()
        if text_of(pattern) == "this":  # a type for the receiver, not a parameter
            continue
        kind = {
            "rest_pattern": ParameterKind.REST,
            "object_pattern": ParameterKind.DESTRUCTURED,
            "array_pattern": ParameterKind.DESTRUCTURED,
        }.get(pattern.type, ParameterKind.POSITIONAL)
        optional = default is not None or child.type == "optional_parameter"
        yield Parameter(text_of(pattern).removeprefix("..."), kind, optional, annotation, text_of(default))


def _yields(body: Node, wanted: str, stop: frozenset[str]) -> bool:
    if wanted.encode() not in (body.text or b""):
        return False
    stack = [body]
    while stack:
        node = stack.pop()
        if node.type == wanted:
            return True
        stack.extend(child for child in node.children if child.type not in stop)
    return False


_READERS: Final[dict[str, Callable[[Node, str], Signature]]] = {"python": _python, "javascript": _script, "typescript": _script}


def callers_view(signature: Signature, is_method: bool) -> tuple[Parameter, ...]:
    """The parameters that a caller fills in: without the receiver of a bound method."""
    bound = is_method and RULES[signature.family].receiver and not signature.is_static
    first = signature.parameters[0].kind if signature.parameters else None
    return signature.parameters[1:] if bound and first in POSITIONAL_KINDS else signature.parameters


def is_required(parameter: Parameter) -> bool:
    return not parameter.has_default and parameter.kind not in GATHERING_KINDS


SameType = Callable[[str, str], bool]  # two types as written, one of each side: do they mean the same?


def compare(before: Signature, after: Signature, same_type: SameType = operator.eq) -> tuple[SignatureChange, ...]:
    """Two signatures of one definition -> every difference, in the order of the parameters, then what is about the whole.

    `breaking` says that some caller that was right before can be wrong now; whether a given caller is, says its verdict."""
    rules = RULES[after.family]
    overloads = tuple(_overloads(before, after, same_type)) if before.overloads or after.overloads else ()
    if not (runs_alone(before) and runs_alone(after)):
        return (*overloads, *_whole(before, after, same_type))
    renamed = _renamed(before, after, same_type)
    old = {parameter.name: parameter for parameter in before.parameters}
    new = {renamed.get(parameter.name, parameter.name): parameter for parameter in after.parameters}
    found: list[SignatureChange] = []
    for was, parameter in new.items():
        found += [_added(parameter, rules)] if was not in old else list(_parameter_changes(old[was], parameter, rules, same_type))
    found += [_removed(parameter, after, rules) for name, parameter in old.items() if name not in new]
    found += _reordered(old, new, rules)
    found += _whole(before, after, same_type)
    return (*found, *overloads)


def _renamed(before: Signature, after: Signature, same_type: SameType) -> dict[str, str]:
    """New name -> old name, for parameters that took another's place: the same position counted from the start or, where the
    counts differ, between the same neighbours; and nothing but the name differs."""
    old_names, new_names = {p.name for p in before.parameters}, {p.name for p in after.parameters}
    found: dict[str, str] = {}
    neighbours_old, neighbours_new = _neighbours(before), _neighbours(after)
    for at, parameter in enumerate(after.parameters):
        if parameter.name in old_names:
            continue
        same_place = before.parameters[at : at + 1]
        between = tuple(p for p in before.parameters if neighbours_old[p.name] == neighbours_new[parameter.name])
        for was in (*same_place, *between):
            alike = was.kind == parameter.kind and was.has_default == parameter.has_default
            if alike and was.kind is ParameterKind.DESTRUCTURED and was in same_place and was.name not in new_names:
                found[parameter.name] = was.name
                break
            typed_alike = same_type(was.annotation, parameter.annotation) or not (was.annotation and parameter.annotation)
            typed_alike |= was in same_place and len(old_names - new_names) == 1
            if (
                was.name not in new_names
                and was.name not in found.values()
                and alike
                and typed_alike
                and len(before.parameters) == len(after.parameters)
            ):
                found[parameter.name] = was.name
                break
    return found


def _neighbours(signature: Signature) -> dict[str, tuple[str, str]]:
    names = ["", *(parameter.name for parameter in signature.parameters), ""]
    return {names[at]: (names[at - 1], names[at + 1]) for at in range(1, len(names) - 1)}


def _added(parameter: Parameter, rules: CallRules) -> SignatureChange:
    name = parameter.name
    if parameter.kind in GATHERING_KINDS:
        return SignatureChange(SignatureChangeKind.ADDED_OPTIONAL, name, False, f"`{_starred(parameter)}` is new: more arguments are taken")
    if is_required(parameter):
        return SignatureChange(
            SignatureChangeKind.ADDED_REQUIRED, name, True, f"`{name}` is now required" if rules.strict else f"`{name}` is new"
        )
    return SignatureChange(SignatureChangeKind.ADDED_OPTIONAL, name, False, f"`{name}` is new and optional")


def _removed(parameter: Parameter, after: Signature, rules: CallRules) -> SignatureChange:
    name = parameter.name
    takes_all = (
        rules.keywords and any(p.kind is ParameterKind.STAR_STAR for p in after.parameters) and parameter.kind is ParameterKind.KEYWORD_ONLY
    )
    others = [p for p in after.parameters if p.kind is ParameterKind.STAR_STAR and rules.keywords and parameter.kind in NAMED_KINDS]
    still = f"; by name `{_starred(others[0])}` takes it" if others else ""
    return SignatureChange(SignatureChangeKind.REMOVED, name, not takes_all, f"`{_starred(parameter)}` is gone{still}")


def _parameter_changes(before: Parameter, after: Parameter, rules: CallRules, same_type: SameType) -> Iterator[SignatureChange]:
    kinds = SignatureChangeKind
    name = after.name
    same = same_type(before.annotation, after.annotation)
    if before.kind is after.kind is ParameterKind.DESTRUCTURED and not (same and before.name == after.name):
        yield SignatureChange(kinds.ANNOTATION, name, *_options_change(before, after))
        return
    if before.name != after.name:
        by_name = rules.keywords and before.kind in NAMED_KINDS
        yield SignatureChange(kinds.RENAMED, name, by_name, f"`{before.name}` is now called `{name}`")
    if before.kind is not after.kind:
        yield _kind_change(before, after, rules)
    if before.has_default and not after.has_default:
        yield SignatureChange(kinds.DEFAULT_REMOVED, name, True, f"`{name}` has no default any more")
    elif after.has_default and not before.has_default:
        yield SignatureChange(kinds.DEFAULT_ADDED, name, False, f"`{name}` is now optional")
    elif before.default != after.default:
        yield SignatureChange(kinds.DEFAULT_CHANGED, name, False, f"the default of `{name}` was `{before.default}`, is `{after.default}`")
    if not same:
        yield SignatureChange(kinds.ANNOTATION, name, False, _was_is(f"the type of `{name}`", before.annotation, after.annotation))


def _options_change(before: Parameter, after: Parameter) -> tuple[bool, str]:
    """`{a, b}` -> `{a, c}`: may a caller notice, and what changed."""
    was, now = (
        dict.fromkeys(part.split(":")[0].split("=")[0].strip() for part in one.name.strip("{}[] ").split(",")) for one in (before, after)
    )
    fresh, gone = [name for name in now if name and name not in was], [name for name in was if name and name not in now]
    words = [f"`{name}` is new" for name in fresh] + [f"`{name}` is gone" for name in gone]
    return bool(fresh or gone), f"among the options {', '.join(words)}" if words else _was_is(
        "the type of the options", before.annotation, after.annotation
    )


def _kind_change(before: Parameter, after: Parameter, rules: CallRules) -> SignatureChange:
    kinds, name = SignatureChangeKind, after.name
    if not rules.keywords:
        breaking = (before.kind is ParameterKind.REST) != (after.kind is ParameterKind.REST) and before.kind is ParameterKind.REST
        return SignatureChange(kinds.KIND, name, breaking, f"`{name}` was {before.kind}, is {after.kind}")
    if after.kind is ParameterKind.KEYWORD_ONLY and before.kind in POSITIONAL_KINDS:
        return SignatureChange(kinds.KEYWORD_ONLY, name, True, f"`{name}` can only be passed by name now")
    if after.kind is ParameterKind.POSITIONAL_ONLY and before.kind in NAMED_KINDS:
        return SignatureChange(kinds.POSITIONAL_ONLY, name, True, f"`{name}` can no longer be passed by name")
    breaking = after.kind is not ParameterKind.POSITIONAL
    return SignatureChange(kinds.KIND, name, breaking, f"`{name}` was {before.kind}, is {after.kind}")


def _reordered(old: dict[str, Parameter], new: dict[str, Parameter], rules: CallRules) -> Iterator[SignatureChange]:
    """Parameters that callers may pass by place and that no longer stand where they stood. A new one before them shifts them too."""
    places_old = [name for name, parameter in old.items() if parameter.kind in POSITIONAL_KINDS]
    places_new = [name for name, parameter in new.items() if parameter.kind in POSITIONAL_KINDS]
    shared_old = [name for name in places_old if name in places_new]
    shared_new = [name for name in places_new if name in places_old]
    if shared_old != shared_new:
        now = ", ".join(new[name].name for name in shared_new)
        yield SignatureChange(SignatureChangeKind.REORDERED, "", True, f"the order is now `{now}`")
        return
    last_shared = max((places_new.index(name) for name in shared_new), default=-1)
    early = [name for name in places_new[:last_shared] if name not in old]
    if early:
        names = ", ".join(f"`{new[name].name}`" for name in early)
        yield SignatureChange(SignatureChangeKind.REORDERED, "", True, f"{names} stands before parameters that callers pass by place")


def _whole(before: Signature, after: Signature, same_type: SameType) -> Iterator[SignatureChange]:
    kinds = SignatureChangeKind
    if before.is_async != after.is_async:
        yield SignatureChange(kinds.ASYNC, "", True, "is now async: callers must await it" if after.is_async else "is no longer async")
    if before.is_generator != after.is_generator:
        yield SignatureChange(kinds.GENERATOR, "", True, "is now a generator" if after.is_generator else "is no longer a generator")
    if before.is_static != after.is_static:
        yield SignatureChange(kinds.STATIC, "", True, "is now static" if after.is_static else "is no longer static")
    if before.visibility != after.visibility:
        narrower = after.visibility in ("private", "protected") and before.visibility != "private"
        yield SignatureChange(kinds.VISIBILITY, "", narrower, f"is now {after.visibility or 'public'}")
    if before.decorators != after.decorators:
        gone = [name for name in before.decorators if name not in after.decorators]
        new = [name for name in after.decorators if name not in before.decorators]
        words = [f"`@{name}` is new" for name in new] + [f"`@{name}` is gone" for name in gone]
        # a decorator can replace the function by anything, so callers can notice
        yield SignatureChange(kinds.DECORATORS, "", True, ", ".join(words) or "the decorators stand in another order")
    if before.type_parameters != after.type_parameters:
        yield SignatureChange(
            kinds.TYPE_PARAMETERS, "", False, _was_is("the list of type parameters", before.type_parameters, after.type_parameters)
        )
    if not same_type(before.returns, after.returns):
        yield SignatureChange(kinds.RETURN, "", False, _was_is("the return type", before.returns, after.returns))


def _overloads(before: Signature, after: Signature, same_type: SameType) -> Iterator[SignatureChange]:
    """What callers may choose from. `breaking` where one is gone that no other one takes the place of, types aside."""
    was, now = before.overloads or (before,), after.overloads or (after,)

    def same(one: Signature, other: Signature) -> bool:
        pairs = [*zip(_types(one), _types(other), strict=False)]
        return _shape(one) == _shape(other) and all(same_type(first, second) for first, second in pairs)

    gone = [one for one in was if not any(same(one, other) for other in now)]
    new = [one for one in now if not any(same(other, one) for other in was)]
    if not gone and not new:
        return
    alike = set(map(_shape, was)) == set(map(_shape, now))
    if alike and (before.family == "python" or len(was) == len(now)):  # as with one signature, whose types nobody is told of either
        yield SignatureChange(SignatureChangeKind.OVERLOADS, "", False, "types in its overloads changed")
        return
    words = [f"`({', '.join(map(_shown, one.parameters))})` {what}" for some, what in ((gone, "is gone"), (new, "is new")) for one in some]
    yield SignatureChange(SignatureChangeKind.OVERLOADS, "", bool(gone), f"among its overloads {', '.join(words[:3])}")


def _shape(signature: Signature) -> tuple[object, ...]:
    """All of a signature but its types."""
    parameters = tuple((one.name, one.kind, one.has_default) for one in signature.parameters)
    return parameters, signature.is_async, signature.is_static, signature.type_parameters


def _types(signature: Signature) -> tuple[str, ...]:
    return (*(one.annotation for one in signature.parameters), signature.returns)


def _shown(parameter: Parameter) -> str:
    return _starred(parameter) + ("?" if parameter.has_default else "") + (f": {parameter.annotation}" if parameter.annotation else "")


def _was_is(what: str, before: str, after: str) -> str:
    if len(before) > MAX_SHOWN or len(after) > MAX_SHOWN:
        return f"{what} changed"
    if not before:
        return f"{what} is now written: `{after}`"
    return f"{what} was `{before}`, is no longer written" if not after else f"{what} was `{before}`, is `{after}`"


def _starred(parameter: Parameter) -> str:
    return {ParameterKind.STAR: "*", ParameterKind.STAR_STAR: "**", ParameterKind.REST: "..."}.get(parameter.kind, "") + parameter.name
