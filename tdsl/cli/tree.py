"""Print typed functions as indented trees, for `--emit=typed`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from textwrap import indent
from typing import Any

from tdsl.check import typed
from tdsl.check.calls import signature_names
from tdsl.syntax.source import Source, Span
from tdsl.types.dtypes import DType, DTypeVariable
from tdsl.types.naming import Names
from tdsl.types.sizes import Pack, Size, Symbol
from tdsl.types.types import (
    DTypeType,
    ListType,
    PoisonType,
    StringType,
    StructType,
    Substitution,
    TensorType,
    TupleType,
    WeakType,
)

_TYPES = (
    DTypeType,
    ListType,
    PoisonType,
    StringType,
    StructType,
    TensorType,
    TupleType,
    WeakType,
)


def tree(thing: Any, names: Names | None = None) -> str:
    """One line per node: its class, its place, its plain fields; then its children, indented."""
    return "\n".join(_lines(thing, "", names or Names())) + "\n"


def function_tree(function: typed.Function) -> str:
    """The signature as written, then the tree of the body."""
    signature = function.signature
    text = signature.span.source.text[signature.span.start : signature.signature_end]
    head = f"fn {' '.join(text.split())}"
    return f"{head}\n{indent(tree(function.body, signature_names(signature)), '  ')}"


def _lines(thing: Any, label: str, names: Names) -> Iterator[str]:
    plain, children = [], []
    span = getattr(thing, "span", None)
    for field in fields(thing):
        value = getattr(thing, field.name)
        if isinstance(value, Span | Source):
            continue
        if isinstance(value, tuple) and any(_is_node(item) for item in value):
            children += [(f"{field.name}[{i}]", item) for i, item in enumerate(value)]
        elif _is_node(value):
            children.append((field.name, value))
        elif value not in (None, (), ""):
            plain.append(f"{field.name}={_show(value, names)}")
    place = f" {span.line}:{span.column}" if isinstance(span, Span) else ""
    head = f"{label}: " if label else ""
    yield f"{head}{type(thing).__name__}{place}" + "".join(f" {text}" for text in plain)
    for name, child in children:
        if _is_node(child):
            for line in _lines(child, name, names):
                yield f"  {line}"
        else:
            yield f"  {name}: {_show(child, names)}"


def _is_node(value: Any) -> bool:
    """Whether it gets lines of its own; sizes, types and the like are shown in one."""
    shown = (Size, Symbol, Pack, DType, DTypeVariable, Substitution, *_TYPES)
    return is_dataclass(value) and not isinstance(value, shown)


def _show(value: Any, names: Names) -> str:
    if isinstance(value, Size):
        return names.size(value)
    if isinstance(value, _TYPES):
        return names.type(value)
    if isinstance(value, Symbol | Pack | DType | DTypeVariable):
        return value.name
    if isinstance(value, Substitution):
        parts = [f"{s.name}={names.size(size)}" for s, size in value.sizes.items()]
        parts += [f"{p.name}={names.shape(shape)}" for p, shape in value.packs.items()]
        parts += [f"{v.name}={dtype}" for v, dtype in value.dtypes.items()]
        return f"[{', '.join(parts)}]"
    if isinstance(value, tuple):
        return f"({', '.join(_show(item, names) for item in value)})"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key}: {_show(item, names)}' for key, item in value.items())}}}"
    return repr(value)
