"""Functions of programs: compiled natively, and compared with the evaluator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from emission_support import run

from tdsl.check import typed
from tdsl.check.modules import check_source, load_program
from tdsl.graph.claims import find_claims
from tdsl.graph.elaborate import elaborate
from tdsl.graph.graph import Claim, Graph
from tdsl.graph.values import fields_of
from tdsl.lowering.emit import emit_module
from tdsl.lowering.interface import evaluate as size_of
from tdsl.lowering.options import Options
from tdsl.reference.evaluate import evaluate
from tdsl.syntax.source import Source
from tdsl.types.dtypes import DTYPES
from tdsl.types.sizes import Size, Symbol
from tdsl.types.types import ListType, StructType, Substitution, TupleType, Type


class Instance:
    """A function with some sizes fixed, by name, and the others open."""

    def __init__(self, program: typed.Program, name: str, sizes: Mapping[str, int]) -> None:
        self.program = program
        self.function = program.root.functions[name]
        signature = self.function.signature
        self.parameters = Substitution(
            {
                symbol: Size.of(sizes.get(symbol.name, symbol))
                for parameter in signature.sizes
                for symbol in parameter.value.symbols()
            },
            dict.fromkeys(signature.packs, ()),
            dict.fromkeys(signature.dtypes, DTYPES["f32"]),
        )
        self.graph: Graph = elaborate(program, signature.function, self.parameters)
        self.claims: tuple[Claim, ...] = find_claims(self.graph)[0]
        self.text = emit_module(self.graph, self.claims)

    @staticmethod
    def of_file(path: Path, name: str, **sizes: int) -> Instance:
        return Instance(load_program(path), name, sizes)

    @staticmethod
    def of_text(text: str, name: str = "f", **sizes: int) -> Instance:
        result = check_source(Source("model.tdsl", f"tdsl 0.1\n{text}\n"), None)
        assert result.program is not None, result.diagnostics
        return Instance(result.program, name, sizes)

    def arrays(self, values: Mapping[Symbol, int], seed: int = 0) -> list[np.ndarray]:
        """Seeded ones for every input; integers are 0 or 1, so that they can be positions."""
        random = np.random.default_rng(seed)
        found = []
        for node in self.graph.inputs:
            shape = tuple(size_of(size, values) for size in node.type.shape)
            if node.type.dtype.is_float:
                array = random.standard_normal(shape) * 0.4
            else:
                array = random.integers(0, 2, shape)
            found.append(np.asarray(array).astype(node.type.dtype.numpy))
        return found

    def compare(
        self,
        known: Mapping[str, int],
        options: Options | None = None,
        arrays: Sequence[np.ndarray] | None = None,
        tolerance: float = 1e-4,
    ) -> None:
        """The same results natively and by the evaluator; `known` are the values of open sizes."""
        values = {symbol: known[symbol.name] for symbol in self.graph.open_sizes}
        given = list(arrays) if arrays is not None else self.arrays(values)
        found = run(self.graph, given, self.claims, values, text=self.text, options=options)
        wanted = list(leaves(self.reference(given, values)))
        for one, other in zip(found, wanted, strict=True):
            assert one.dtype == other.dtype
            assert one.shape == other.shape
            np.testing.assert_allclose(
                one.astype(np.float64), other.astype(np.float64), rtol=tolerance, atol=tolerance
            )

    def reference(self, arrays: Sequence[np.ndarray], values: Mapping[Symbol, int]) -> Any:
        sizes = {symbol: Size.of(value) for symbol, value in values.items()}
        literal = Substitution(
            {symbol: size.substitute(sizes) for symbol, size in self.parameters.sizes.items()},
            self.parameters.packs,
            self.parameters.dtypes,
        )
        waiting = iter(arrays)
        arguments = [
            _nested(self.program, literal.type(type_), waiting)
            for _, type_ in self.function.signature.parameters
        ]
        return evaluate(self.program, self.function.signature.function, arguments, literal)


def _nested(program: typed.Program, type_: Type, arrays: Iterator[np.ndarray]) -> Any:
    return _apart(type_, _tree(program, type_, arrays), program)


def _tree(program: typed.Program, type_: Type, arrays: Iterator[np.ndarray]) -> Any:
    """Tuples and structs of arrays; of a list what an item is, with one more axis."""
    match type_:
        case TupleType(items):
            return tuple(_tree(program, item, arrays) for item in items)
        case StructType():
            return {name: _tree(program, f, arrays) for name, f in fields_of(program, type_)}
        case ListType(item):
            return _tree(program, item, arrays)
    return next(arrays)


def _apart(type_: Type, tree: Any, program: typed.Program) -> Any:
    match type_:
        case TupleType(items):
            return tuple(
                _apart(item, part, program) for item, part in zip(items, tree, strict=True)
            )
        case StructType():
            return {name: _apart(f, tree[name], program) for name, f in fields_of(program, type_)}
        case ListType(item, length):
            return [_apart(item, _at(tree, place), program) for place in range(length.literal or 0)]
    return tree


def _at(tree: Any, place: int) -> Any:
    if isinstance(tree, dict):
        return {name: _at(part, place) for name, part in tree.items()}
    if isinstance(tree, tuple):
        return tuple(_at(part, place) for part in tree)
    return tree[place]


def leaves(value: Any) -> Iterator[np.ndarray]:
    """The arrays of a result of the evaluator, lists stacked."""
    if isinstance(value, dict):
        for part in value.values():
            yield from leaves(part)
    elif isinstance(value, tuple):
        for part in value:
            yield from leaves(part)
    elif isinstance(value, list):
        for column in zip(*(leaves(item) for item in value), strict=True):
            yield np.stack(column)
    else:
        yield np.asarray(value)
