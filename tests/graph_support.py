"""The graph of a function for tests, with some of its sizes fixed."""

from __future__ import annotations

from tdsl.check.modules import check_source
from tdsl.graph.elaborate import elaborate
from tdsl.graph.graph import Graph
from tdsl.syntax.source import Source
from tdsl.types.dtypes import DTYPES
from tdsl.types.sizes import Size
from tdsl.types.types import Substitution


def graph_of(text: str, name: str = "f", **sizes: int) -> Graph:
    """Sizes that are not given stay open."""
    result = check_source(Source("model.tdsl", f"tdsl 0.1\n{text}\n"), None)
    assert result.program is not None, result.diagnostics
    signature = result.program.root.functions[name].signature
    values = {
        symbol: Size.of(sizes.get(symbol.name, symbol))
        for parameter in signature.sizes
        for symbol in parameter.value.symbols()
    }
    dtypes = dict.fromkeys(signature.dtypes, DTYPES["f32"])
    parameters = Substitution(values, dict.fromkeys(signature.packs, ()), dtypes)
    return elaborate(result.program, signature.function, parameters)
