"""A module as a Python stub: what editors and type checkers are told of it (`--emit=pyi`)."""

from __future__ import annotations

from collections.abc import Iterator

from tdsl.check import typed
from tdsl.check.calls import signature_names
from tdsl.runtime.arguments import python_signature
from tdsl.runtime.layout import python_name
from tdsl.runtime.structs import used_structs
from tdsl.types.dtypes import AnyDType, DType
from tdsl.types.naming import Names
from tdsl.types.types import ListType, StructType, TensorType, TupleType, Type

_MOST_COLUMNS = 100

_HEAD = """\
{docs}
# Made by `tdslc {file} --emit=pyi`. Arrays of NumPy are told apart by dtype, those of other
# frameworks are not; sizes are in the docstrings, and checked by each call.

"""

# Before a name of Python's in what is made here, until it is known how it can be called: a program
# may have a struct `Any`.
_MARK = "\0"
_ANY, _SEQUENCE, _NDARRAY, _NP, _TDSL = (
    f"{_MARK}{name}" for name in ("Any", "Sequence", "NDArray", "np", "tdsl")
)
_IMPORTS = {
    "Sequence": "from collections.abc import Sequence",
    "dataclass": "from dataclasses import dataclass",
    "Any": "from typing import Any",
    "overload": "from typing import overload",
    "np": "import numpy as np",
    "tdsl": "import tdsl",
    "NDArray": "from numpy.typing import NDArray",
}


def module_stub(program: typed.Program) -> str:
    """The text of `NAME.pyi` for the program's root module: what is `pub`, and the structs that
    those functions take or give."""
    root = program.root
    stub = _Stub(program)
    file = root.source.name.rsplit("/", 1)[-1]
    docs = _docstring(root.docs, "") if root.docs else f'"""The TDSL module `{root.name}`."""'
    parts = [stub.struct(definition) for definition in stub.structs]
    for name, function in root.functions.items():
        if function.public:
            parts.append(stub.function(name, function))
    exported = [*(python_name(d.name) for d in stub.structs if d.public and d.module == root.name)]
    exported += [python_name(name) for name, f in root.functions.items() if f.public]
    parts.append(f"__all__ = {exported!r}\n".replace("'", '"'))
    body = "\n".join(parts)
    imports = ""
    for name, line in _IMPORTS.items():
        if f"{_MARK}{name}" in body:
            own = f"{name}_of_python" if name in stub.taken else name
            imports += f"{line if own == name else line.partition(' as ')[0] + f' as {own}'}\n"
            body = body.replace(f"{_MARK}{name}", own)
    return f"{_HEAD.format(docs=docs, file=file)}{imports}\n{body}"


class _Stub:
    def __init__(self, program: typed.Program) -> None:
        self.program = program
        found = [*program.root.structs.values()]
        for type_ in used_structs(program, program.root):
            definition = program.modules[type_.module].structs[type_.name]
            if definition not in found:
                found.append(definition)
        names = [definition.name for definition in found]
        self.structs = found
        fields = [field.name for definition in found for field in definition.fields]
        self.taken = {*names, *program.root.functions, *fields}
        self.class_of = {
            (d.module, d.name): python_name(d.name)
            if names.count(d.name) == 1 or d.module == program.root.name
            else f"{d.module.replace('.', '_')}_{d.name}"
            for d in found
        }

    # --- types

    def given(self, type_: Type) -> str:
        """What a parameter may be, for NumPy."""
        match type_:
            case TensorType(dtype, ()):
                number = _number(dtype)
                return f"{number} | {_array(dtype)}" if number else _array(dtype)
            case TensorType(dtype):
                return _array(dtype)
            case StructType(module, name):
                return f"{self.class_of[module, name]} | {_ANY}"
            case ListType(item):
                return f"{_SEQUENCE}[{self.given(item)}] | {_ANY}"
            case TupleType(items):
                return f"tuple[{', '.join(map(self.given, items))}]"
        return _ANY

    def result(self, type_: Type) -> str:
        match type_:
            case TensorType(dtype):
                return _array(dtype)
            case StructType(module, name):
                return self.class_of[module, name]
            case ListType(item):
                return f"{_SEQUENCE}[{self.result(item)}]"
            case TupleType(items):
                return f"tuple[{', '.join(map(self.result, items))}]"
        return _ANY

    # --- definitions

    def struct(self, definition: typed.Struct) -> str:
        names = Names({}, (), f"{definition.module}.{definition.name}")
        lines = ["", f"@{_MARK}dataclass(frozen=True, eq=False, repr=False)"]
        lines.append(f"class {self.class_of[definition.module, definition.name]}({_TDSL}.Struct):")
        if definition.docs:
            lines.append(_docstring(definition.docs, "    "))
        for field in definition.fields:
            docs = (names.type(field.type), *field.docs)
            lines.append(f"    {python_name(field.name)}: {self.given(field.type)}")
            lines.append(_docstring(docs, "    "))
        return "\n".join(lines) + "\n"

    def function(self, name: str, function: typed.Declaration) -> str:
        signature = function.signature
        shown = signature_names(signature)
        types = ", ".join(f"{n}: {shown.type(t)}" for n, t in signature.parameters)
        docs = (f"({types}) -> {shown.type(signature.result)}", "", *function.docs)
        numpy, other = ([*self._each(signature, numpy=of)] for of in (True, False))
        lines = ["", f"class _{name}({_TDSL}.Function):"]
        overloaded = numpy != other
        lines += [f"    @{_MARK}overload"] * overloaded
        lines += [*_call(numpy, self.result(signature.result), ""), _docstring(docs, " " * 8)]
        if overloaded:
            lines += [f"    @{_MARK}overload", *_call(other, _ANY, " ...")]
        return "\n".join([*lines, "", f"{python_name(name)}: _{name}", ""])

    def _each(self, signature: typed.Signature, *, numpy: bool) -> Iterator[str]:
        known = python_signature(signature)
        yield "this" if "self" in known.parameters else "self"
        types = dict(signature.parameters)
        by_python = {python_name(name): type_ for name, type_ in types.items()}
        keywords = False
        for parameter in known.parameters.values():
            default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}"
            if isinstance(parameter.default, str):  # it depends on a size
                default = " = ..."
            if parameter.kind is parameter.KEYWORD_ONLY:
                if not keywords:
                    yield "*"
                keywords = True
                yield f"{parameter.name}: {parameter.annotation.__name__}{default}"
            else:
                type_ = self.given(by_python[parameter.name])
                other = "" if numpy or _ANY in type_ else f" | {_TDSL}.Tensor"
                yield f"{parameter.name}: {type_}{other}{default}"


def _call(parameters: list[str], result: str, body: str) -> list[str]:
    line = f"    def __call__({', '.join(parameters)}) -> {result}:{body}"
    if len(line.replace(_MARK, "")) <= _MOST_COLUMNS:
        return [line]
    return [
        "    def __call__(",
        *(f"        {parameter}," for parameter in parameters),
        f"    ) -> {result}:{body}",
    ]


def _number(dtype: AnyDType) -> str:
    """The Python number that a scalar may be."""
    if not isinstance(dtype, DType):
        return "float"
    return {"float": "float", "int": "int", "uint": "int", "bool": "bool"}[dtype.kind]


def _array(dtype: AnyDType) -> str:
    # NumPy's types know no bfloat16.
    if not isinstance(dtype, DType) or dtype.name == "bf16":
        return f"{_NDARRAY}[{_ANY}]"
    return f"{_NDARRAY}[{_NP}.{dtype.numpy.type.__name__}]"


def _docstring(lines: tuple[str, ...], indent: str) -> str:
    text = "\n".join(f"{indent}{line}".rstrip() for line in lines).strip()
    text = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    end = f"\n{indent}" if "\n" in text or text.endswith('"') else ""
    return f'{indent}"""{text}{end}"""'
