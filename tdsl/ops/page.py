"""The builtins for readers: how each is written, and the reference page in Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from tdsl.ops.builtins import BUILTINS, CONSTANTS, STRUCTURAL
from tdsl.ops.table import Builtin, Structural

Row = Builtin | Structural
ROWS: tuple[Row, ...] = (*BUILTINS.values(), *STRUCTURAL.values())


def sign(row: Row) -> str:
    """The operator that stands for it; "" where there is none."""
    return (row.operator or "") if isinstance(row, Builtin) else ""


def written(row: Row) -> str:
    """How programs write it: the name, or of what has no name there, the operator."""
    return row.name if not isinstance(row, Builtin) or row.named else sign(row)


def headline(row: Row) -> str:
    """The signature; where there is no name to call, of the operator between its operands."""
    signature = row.signature.strip()
    own_sign = written(row)
    if own_sign == row.name:
        return signature
    assert isinstance(row, Builtin)
    head, _, rest = signature.removeprefix(row.name).partition("(")
    operands, _, result = rest.rpartition(") -> ")
    names = [parameter.name for parameter in row.parameters]
    example = f" {own_sign} ".join(names) if len(names) > 1 else f"{own_sign} {names[0]}"
    return f"{example} -> {result}, for {head}({operands})"


def by_family(rows: Sequence[Row] = ROWS) -> list[tuple[str, list[Row]]]:
    """The rows of each family, families by name."""
    ordered = sorted(rows, key=lambda row: row.family)
    return [(family, list(members)) for family, members in groupby(ordered, lambda row: row.family)]


def builtins_page() -> str:
    """docs/builtins.md."""
    head = (
        "# Builtins\n\n"
        "Made by `tdslc ops --markdown` from the table that the compiler works with. "
        "`tdslc ops NAME` shows one of them.\n\n"
        "`E` stands for a dtype, `...S` for any number of axes. Operands broadcast as in NumPy; a "
        "symbolic size is never taken for 1."
    )
    parts: list[str] = []
    for family, rows in by_family():
        names = " ".join(f"[`{written(row)}`](#{_anchor(row)})" for row in rows)
        parts.append(f"- **{family}**: {names}")
    constants = ", ".join(f"`{name}`" for name in CONSTANTS)
    parts.append(f"- **numbers**: {constants}, without a dtype until they meet one")
    # One list, then one section for each family.
    text = head + "\n\n" + "\n".join(parts) + "\n"
    for family, rows in by_family():
        text += f"\n## {family[0].upper()}{family[1:]}\n"
        text += "".join(_section(row) for row in rows)
    return text


def _anchor(row: Row) -> str:
    return row.name.replace("_", "-") if written(row) == row.name else f"op-{row.name}"


def _section(row: Row) -> str:
    title = written(row)
    lines = [f'\n<a id="{_anchor(row)}"></a>\n\n### `{title}`\n', f"```\n{headline(row)}\n```\n"]
    if sign(row) and title != sign(row):
        lines.append(f"Also written as the operator `{sign(row)}`.\n")
    lines.append(row.doc.strip() + "\n")
    lines.append(f"```\n{row.example.strip()}\n```\n")
    return "\n".join(lines)
