"""The error index in Markdown: each code with why, what the message looks like, and the way out."""

from __future__ import annotations

from tdsl.check.modules import check_source
from tdsl.syntax.codes import CODES, Code
from tdsl.syntax.render import render_text
from tdsl.syntax.source import Source

_FAMILIES = {
    "E01": "Syntax",
    "E02": "Declared against given",
    "E03": "Operands",
    "E04": "Shapes",
    "E05": "Calls and sizes",
    "E06": "Loops",
    "E07": "Weights, arrays and limits",
    "E08": "Names and modules",
    "E09": "Commands and tests",
    "W00": "Warnings",
}


def error_page() -> str:
    """docs/errors.md."""
    head = (
        "# Error index\n\n"
        "Made by `tdslc explain --markdown`; `tdslc explain E0302` shows one entry. Each wrong "
        "program gives the message below it, and the right one is accepted: a test runs them all.\n"
    )
    parts = [head]
    for family, title in _FAMILIES.items():
        codes = [code for name, code in CODES.items() if name.startswith(family)]
        parts.append(f"\n## {title}\n\n| code | |\n|---|---|\n")
        parts += [f"| [{code.code}](#{code.code.lower()}) | {code.title} |\n" for code in codes]
        parts += [_entry(code) for code in codes]
    return "".join(parts)


def _entry(code: Code) -> str:
    lines = [f'\n<a id="{code.code.lower()}"></a>\n', f"### {code.code}: {code.title}\n"]
    lines.append(code.explanation + "\n")
    if code.wrong:
        lines += [_fenced(code.wrong, "text"), _fenced(message_of(code), "text")]
        lines += ["Right:\n", _fenced(code.right, "tdsl")]
    return "\n".join(lines)


def message_of(code: Code) -> str:
    """What the wrong program of a code gives, as shown in a terminal without colours."""
    found = check_source(Source("example.tdsl", code.wrong), None).diagnostics
    return "\n\n".join(render_text(diagnostic) for diagnostic in found)


def _fenced(text: str, language: str) -> str:
    shown = text.strip("\n")
    return f"```{language}\n{shown}\n```\n"
