"""Values of `const`: computed when first needed, in the module where they stand."""

from __future__ import annotations

from tdsl.check import typed
from tdsl.check.context import Context, Owner
from tdsl.check.scope import ConstantEntry, Environment
from tdsl.check.statements import fit
from tdsl.check.types import resolve_type
from tdsl.check.values import is_poisoned, poison
from tdsl.types.naming import Names
from tdsl.types.proofs import Facts
from tdsl.types.types import PoisonType, TensorType, WeakType

# Definitions that lead to one another before their own are computed: in order, there are none.
MOST_DEPTH = 50


def constant_value(context: Context, entry: ConstantEntry) -> typed.Expression:
    """The value of a constant, wherever it is mentioned; poison after a report."""
    if entry.value is not None:
        return entry.value
    node = entry.node
    if entry.computing:
        context.fail(node.name, "E0513", f"the constant `{node.name.text}` is defined by itself")
        return poison(node.name.span)
    owner = Owner(f"{entry.module.name}.{node.name.text}", depth=context.owner.depth + 1)
    if owner.depth > MOST_DEPTH:
        context.fail(
            node.name, "E0111", f"more than {MOST_DEPTH} constants are defined by one another"
        )
        return poison(node.name.span)
    entry.computing = True
    inner = Context(
        entry.module,
        context.reporter,
        owner,
        Environment(),
        Facts(),
        Names(),
        context.rules,
    )
    value = inner.check(node.value)
    if node.type is not None:
        declared = resolve_type(inner, node.type)
        if not isinstance(declared, PoisonType) and not is_poisoned(value):
            fitted = fit(inner, value, declared)
            if fitted is None:
                shown, given = inner.names.types_apart(declared, value.type)
                fitted = inner.fail(
                    value.span,
                    "E0203",
                    f"`{node.name.text}` is declared as `{shown}`, but its value is `{given}`",
                    f"this is {given}",
                    more=[(node.type.span, "declared here")],
                )
            value = fitted
    if not is_poisoned(value) and not isinstance(value.type, (WeakType, TensorType)):
        value = inner.fail(
            node.value,
            "E0201",
            "a constant is a number or an array",
            f"this is {inner.show(value.type)}",
        )
    entry.computing = False
    entry.value = value
    return value
