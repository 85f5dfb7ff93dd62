"""Hold a body against the declared result."""

from __future__ import annotations

from tdsl.check import typed
from tdsl.check.advice import wrap
from tdsl.check.binders import with_binders
from tdsl.check.context import Context
from tdsl.check.declarations import Declaration
from tdsl.check.provenance import Provenance, dtype_origin
from tdsl.check.reduction_advice import other_axes
from tdsl.check.statements import fit
from tdsl.check.values import is_poisoned, poison
from tdsl.syntax import ast
from tdsl.syntax.diagnostics import Diagnostic, Edit, Help, Label
from tdsl.syntax.source import Span
from tdsl.types.types import PoisonType, TensorType, Type, WeakType


def check_result(
    context: Context, node: ast.Function, declaration: Declaration, body: typed.Expression
) -> typed.Expression:
    """The body as of the declared type; poison after a report."""
    if is_poisoned(body) or isinstance(declaration.result, PoisonType):
        return poison(body.span)
    fitted = fit(context, body, declaration.result)
    if fitted is not None:
        return fitted
    return _Mismatch(context, node, declaration.result, body).report()


class _Mismatch:
    def __init__(
        self, context: Context, node: ast.Function, declared: Type, body: typed.Expression
    ) -> None:
        self.context = context
        self.node = node
        self.declared = declared
        self.body = body

    def report(self) -> typed.Expression:
        names = self.context.names
        shown, given = names.types_apart(self.declared, self.body.type)
        found = self.body.span
        labels = [Label(found, f"this is {given}"), Label(self.node.result.span, "declared here")]
        notes: list[str] = []
        helps: list[Help] = []
        origin = self._other_dtype()
        is_weak = isinstance(self.body.type, WeakType)
        if origin is not None:
            if origin.place is not None:
                labels[0] = origin.place
            labels += origin.labels
            notes += origin.notes
            helps += origin.size_helps
            helps.append(self._declare(given, is_dtype=True))
            helps += origin.round_helps or self._round()
            helps[0] = Help(helps[0].text.removeprefix("or "), helps[0].edits)
        elif is_weak:
            helps += self._fill()
        else:
            helps += self._elementwise()
            helps += self._other_axes()
            helps.append(self._declare(given, is_dtype=False))
        what = given if is_weak else f"`{given}`"
        name = self.node.name.text
        diagnostic = Diagnostic(
            "E0204",
            f"`{name}` is declared to return `{shown}`, but its body gives {what}",
            tuple(labels),
            tuple(notes),
            tuple(helps),
        )
        self.context.reporter.add(with_binders(self.context.owner, diagnostic))
        return poison(found)

    def _other_dtype(self) -> Provenance | None:
        """Where only the dtypes differ: how the other one came in."""
        declared, given = self.declared, self.body.type
        if not (isinstance(declared, TensorType) and isinstance(given, TensorType)):
            return None
        if declared.dtype == given.dtype or declared.shape != given.shape:
            return None
        return dtype_origin(self.context, self.body, declared.dtype, given.dtype)

    def _elementwise(self) -> list[Help]:
        """`max(x, 0)` for `maximum(x, 0)`: the 0 is an axis."""
        body = self.body
        if not isinstance(body, typed.Apply) or body.builtin not in ("max", "min"):
            return []
        span, other = body.span, f"{body.builtin}imum"
        if not span.text.startswith(f"{body.builtin}(") or "axis" in span.text:
            return []
        name = Span(span.source, span.start, span.start + len(body.builtin))
        text = f"`{body.builtin}` reduces axes; of two values element by element it is `{other}`"
        return [Help(text, (Edit(name, other),))]

    def _other_axes(self) -> list[Help]:
        """`sum(x, axis=0)` where another axis was to be left."""
        declared, given = self.declared, self.body.type
        if not (isinstance(declared, TensorType) and isinstance(given, TensorType)):
            return []
        if declared.dtype != given.dtype or len(declared.shape) != len(given.shape):
            return []
        return list(other_axes(self.node, [self.node.body.statements[-1].span]))

    def _fill(self) -> list[Help]:
        """A number in the place of an array."""
        if not isinstance(self.declared, TensorType) or not self.declared.shape:
            return []
        span = self.body.span
        sizes = self.context.names.shape(self.declared.shape)
        text = f"full({sizes}, {span.text}, {self.declared.dtype})"
        return [Help(f"for an array of it write `{text}`", (Edit(span, text),))]

    def _round(self) -> list[Help]:
        """To cast the whole body."""
        assert isinstance(self.declared, TensorType)
        span = self.node.body.statements[-1].span
        cast = f"{self.declared.dtype}("
        return [Help(f"or convert the result: `{cast}…)`", wrap(span, cast, ")"))]

    def _declare(self, given: str, *, is_dtype: bool) -> Help:
        if is_dtype:
            assert isinstance(self.body.type, TensorType)
            text = f"or say that {self.body.type.dtype} is meant: `-> {given}`"
        else:
            text = f"declare what the body gives: `-> {given}`"
        return Help(text, (Edit(self.node.result.span, given),))
