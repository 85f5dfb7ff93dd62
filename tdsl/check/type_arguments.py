"""What the parameters of an alias or struct stand for where its name is written in a type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from tdsl.check import typed
from tdsl.check.call_matching import within
from tdsl.check.call_text import BOUND_TEXTS
from tdsl.check.context import Context
from tdsl.check.dimensions import dimensions_of
from tdsl.check.values import DTypeValue, PackValue, is_poisoned, poison, size_number
from tdsl.syntax import ast
from tdsl.syntax.source import Span
from tdsl.types.dtypes import BOUNDS, Bound, DTypeVariable
from tdsl.types.sizes import Dimension, Size
from tdsl.types.types import DTypeType, StringType

Parameter = ast.Parameter | ast.PackParameter


def bind_arguments(
    context: Context, node: ast.NamedType, name: ast.Name, parameters: Sequence[Parameter]
) -> dict[str, typed.Expression] | None:
    """A value for each parameter by its name: a size, a DTypeValue, or a PackValue. None after a
    report."""
    given = _match(context, node, name, parameters)
    if given is None:
        return None
    values = {}
    for parameter in parameters:
        key = parameter.name.text
        values[key] = _value(context, parameter, given[key], node.span)
        if is_poisoned(values[key]):
            # Arguments in the wrong order are one mistake, not one each.
            return None
    return values


def _match(
    context: Context, node: ast.NamedType, name: ast.Name, parameters: Sequence[Parameter]
) -> dict[str, list[ast.Dimension]] | None:
    """Which written arguments are for which parameter: several for a pack, one for the others."""
    positional: list[ast.Dimension] = [
        a for a in node.arguments if not isinstance(a, ast.NamedDimension)
    ]
    named = [a for a in node.arguments if isinstance(a, ast.NamedDimension)]
    names = [parameter.name.text for parameter in parameters]
    given: dict[str, list[ast.Dimension]] = {}
    for argument in named:
        key = argument.name.text
        if key not in names:
            known = ", ".join(f"`{other}`" for other in names)
            context.fail(
                argument.name,
                "E0501",
                f"`{name.text}` has no parameter `{key}`",
                notes=[f"its parameters are {known}"] if names else [],
            )
            return None
        if key in given:
            context.fail(argument, "E0509", f"`{key}` is given twice")
            return None
        given[key] = [argument.value]
    open_ = [parameter for parameter in parameters if parameter.name.text not in given]
    packs = [parameter for parameter in open_ if isinstance(parameter, ast.PackParameter)]
    if len(packs) > 1:
        first, second = (f"`...{pack.name.text}`" for pack in packs[:2])
        context.fail(
            name,
            "E0506",
            f"`{name.text}` has two packs, {first} and {second}: where one ends cannot be told",
            notes=["one pack, with sizes before and after it, can be told apart"],
        )
        return None
    spare = len(positional) - (len(open_) - len(packs))
    left = positional
    for parameter in open_:
        key = parameter.name.text
        if isinstance(parameter, ast.PackParameter):
            count = max(spare, 0) if parameter is packs[0] else 0
            given[key], left = left[:count], left[count:]
        elif left:
            given[key], left = left[:1], left[1:]
        elif parameter.default is not None:
            given[key] = [parameter.default]
        else:
            _wrong_count(context, node, name, parameters)
            return None
    if left:
        _wrong_count(context, node, name, parameters)
        return None
    return given


def _value(
    context: Context, parameter: Parameter, arguments: Sequence[ast.Dimension], whole: Span
) -> typed.Expression:
    name = parameter.name.text
    if isinstance(parameter, ast.PackParameter):
        axes: list[Dimension] = []
        for argument in arguments:
            found = dimensions_of(context, argument)
            if found is None:
                return poison(whole)
            axes += found
        return PackValue(StringType(), whole, tuple(axes))
    (argument,) = arguments
    if parameter.kind is not None and parameter.kind.text == "dtype":
        if isinstance(argument, (ast.PackDimension, ast.AnyDimension, ast.NamedDimension)):
            return context.fail(argument, "E0806", f"`{name}` must be a dtype")
        value = context.check(argument)
        if isinstance(value, DTypeValue):
            return _bounded(context, parameter, value, whole.text.partition("[")[0])
        if is_poisoned(value):
            return value
        return context.fail(
            argument, "E0806", f"`{name}` must be a dtype", f"this is {context.show(value.type)}"
        )
    if isinstance(argument, ast.Variable):
        value = context.check(argument)
        if isinstance(value, DTypeValue):
            return context.fail(
                argument,
                "E0514",
                f"`{name}` is a size, but {context.show(value.type)} is given",
                more=[(parameter.name.span, "bound here")]
                if parameter.span.source is argument.span.source
                else [],
            )
    found = dimensions_of(context, argument)
    if found is None:
        return poison(argument.span)
    if len(found) != 1 or not isinstance(found[0], Size):
        return context.fail(
            argument,
            "E0514",
            f"`{name}` of `{whole.text.partition('[')[0]}` is one size, not any number of axes",
        )
    return size_number(found[0], argument.span)


def _bounded(
    context: Context, parameter: ast.Parameter, value: DTypeValue, name: str
) -> typed.Expression:
    """The dtype, where it is one of those that the parameter may be."""
    argument = parameter.kind_argument
    bound = cast(Bound, argument.text if argument is not None else "any")
    assert isinstance(value.type, DTypeType)
    # A bound that does not exist is reported where it is written.
    if bound not in BOUNDS or within(value.type.dtype, DTypeVariable("", bound)):
        return value
    return context.fail(
        value.span,
        "E0502",
        f"`{parameter.name.text}` of `{name}` must be {BOUND_TEXTS[bound]}, not {value.type.dtype}",
    )


def _wrong_count(
    context: Context, node: ast.NamedType, name: ast.Name, parameters: Sequence[Parameter]
) -> None:
    wanted = ", ".join(
        ("..." if isinstance(parameter, ast.PackParameter) else "") + parameter.name.text
        for parameter in parameters
    )
    if parameters:
        message = f"`{name.text}` is written with its sizes and dtypes: `{name.text}[{wanted}]`"
    else:
        message = f"`{name.text}` is written without brackets"
    count = len(node.arguments)
    context.fail(
        node,
        "E0808",
        message,
        f"{count} {'is' if count == 1 else 'are'} given",
        more=[(name.span, "defined here")] if name.span.source is node.span.source else [],
    )
