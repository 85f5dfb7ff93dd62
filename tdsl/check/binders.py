"""Show where the sizes that a message speaks of were born."""

from __future__ import annotations

import re

from msgspec.structs import replace

from tdsl.check.context import Owner
from tdsl.syntax.diagnostics import Diagnostic, Label

_QUOTED = re.compile(r"`([A-Za-z_]\w*)`")
_TYPE = re.compile(r"`[^`]*`")
_CAPITAL = re.compile(r"(?<![\w.])[A-Z]\w*")
# More labels than this hide what they explain.
_MOST = 3


# Where a size or dtype is not compared, its birth does not matter.
_COMPARING = re.compile(r"E020[34]|E030[23457]|E040[15789]|E041[23]|E0407|E0601")


def with_binders(owner: Owner, diagnostic: Diagnostic) -> Diagnostic:
    """The diagnostic with a label at the binder of each size parameter that its message compares:
    those alone between backticks, and capitals outside of the types in it."""
    if not _COMPARING.fullmatch(diagnostic.code):
        return diagnostic
    message = diagnostic.message
    named = [*_QUOTED.findall(message), *_CAPITAL.findall(_TYPE.sub(" ", message))]
    marked = {(label.span.start, label.span.end) for label in diagnostic.labels}
    labels = list(diagnostic.labels)
    for name in dict.fromkeys(named):
        span = owner.binders.get(name)
        if span is None or (span.start, span.end) in marked:
            continue
        marked.add((span.start, span.end))
        labels.append(Label(span, f"`{name}` is bound here"))
        if len(labels) - len(diagnostic.labels) == _MOST:
            break
    return replace(diagnostic, labels=tuple(labels))
