"""The fields of a struct whose sizes and dtypes are known."""

from __future__ import annotations

from tdsl.check import typed
from tdsl.types.sizes import Size
from tdsl.types.types import StructType, Substitution, Type


def fields_of(program: typed.Program, type_: StructType) -> tuple[tuple[str, Type], ...]:
    """Each with its type, in the order of the definition."""
    definition = program.modules[type_.module].structs[type_.name]
    count = len(definition.sizes)
    sizes = {}
    for parameter, size in zip(definition.sizes, type_.sizes[:count], strict=True):
        assert isinstance(size, Size), "packs come last"
        (symbol,) = parameter.value.symbols()
        sizes[symbol] = size
    packs = dict.fromkeys(definition.packs, type_.sizes[count:])
    dtypes = dict(zip(definition.dtypes, type_.dtypes, strict=True))
    known = Substitution(sizes, packs, dtypes)
    return tuple((field.name, known.type(field.type)) for field in definition.fields)
