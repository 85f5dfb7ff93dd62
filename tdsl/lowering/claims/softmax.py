"""Where exponentials in rows are those of a softmax, and where a division may be a product."""

from __future__ import annotations

import math

import msgspec

from tdsl.lowering.claims.body import CASTS, Body, Map, Reduce, Reshape, Tensor, byte_read


def plain(value: Tensor) -> Tensor:
    """The value that copies and broadcasts are made of."""
    while isinstance(value, Map) and len(value.inputs) == 1:
        operations = list(value.block.operations)
        if len(operations) != 1 or value.operand(operations[0].operation.operands[0]) is None:
            break
        value = value.inputs[0][0]
    return value


def operation(value: Tensor | float | None, name: str) -> tuple[Tensor | float | None, ...] | None:
    """The operands of a value that is one operation of this name."""
    if not isinstance(value, Tensor):
        return None
    value = plain(value)
    single = value.single() if isinstance(value, Map) else None
    return single[1] if single is not None and single[0] == name else None


def _same(left: Tensor | float | None, right: Tensor | float | None) -> bool:
    if isinstance(left, Tensor) and isinstance(right, Tensor):
        return plain(left) is plain(right)
    return not isinstance(left, Tensor) and left is not None and left == right


def _compared(value: Tensor | float | None, with_number: float) -> Tensor | None:
    """x, where the value is whether x equals a number."""
    if not isinstance(value, Tensor):
        return None
    value = plain(value)
    if not isinstance(value, Map):
        return None
    work = [one.operation for one in value.work()]
    if [one.name for one in work] != ["arith.cmpf", "arith.extui"]:
        return None
    if str(work[0].attributes["predicate"]).split(" ")[0] != "1":  # oeq
        return None
    sides = [value.operand(x) for x in work[0].operands]
    for x, number in (sides, sides[::-1]):
        if isinstance(x, Tensor) and number == with_number:
            return plain(x)
    return None


def chosen(value: Tensor | float | None) -> tuple[Tensor, Tensor | float, Tensor | float] | None:
    """Condition and both sides of a select."""
    if not isinstance(value, Tensor):
        return None
    value = plain(value)
    if not isinstance(value, Map):
        return None
    work = [one.operation for one in value.work()]
    if [one.name for one in work] != ["arith.cmpi", "arith.select"]:
        return None
    byte = byte_read(work[0])
    condition = None if byte is None else value.operand(byte)
    sides = [value.operand(x) for x in work[1].operands[1:]]
    if not isinstance(condition, Tensor) or None in sides:
        return None
    return plain(condition), sides[0], sides[1]  # type: ignore[return-value]


def _is_top(value: Tensor | float | None, of: Tensor | float | None) -> bool:
    """Whether a value is the largest of each row, or 0 where that is -inf."""
    if not isinstance(value, Tensor) or not isinstance(of, Tensor):
        return False
    value = plain(value)
    if isinstance(value, Reduce):
        return value.combine == "max" and plain(value.source) is plain(of)
    choice = chosen(value)
    if choice is None or choice[1] != 0.0:
        return False
    compared = _compared(choice[0], -math.inf)
    return compared is not None and _same(compared, choice[2]) and _is_top(choice[2], of)


def bare(value: Tensor) -> Tensor:
    """The value behind copies, groupings of axes, and casts between floats."""
    while True:
        value = plain(value)
        if not isinstance(value, Reshape) and not is_cast(value):
            return value
        value = value.inputs[0][0]


def is_cast(value: Tensor) -> bool:
    if not isinstance(value, Map):
        return False
    single = value.single()
    return single is not None and single[0] in CASTS


def total_under(value: Tensor | float | None) -> tuple[Reduce, bool] | None:
    """The sum of each row that a divisor is, maybe in another precision; and whether 0 is replaced
    by 1 in it."""
    if not isinstance(value, Tensor):
        return None
    value = bare(value)
    if isinstance(value, Reduce):
        return (value, False) if value.combine == "add" else None
    choice = chosen(value)
    if choice is None or choice[1] != 1.0:
        return None
    compared = _compared(choice[0], 0.0)
    total = bare(choice[2]) if isinstance(choice[2], Tensor) else None
    if not isinstance(total, Reduce) or total.combine != "add":
        return None
    if compared is None or bare(compared) is not total:
        return None
    return total, True


class Softmax(msgspec.Struct, frozen=True):
    """exp(x - largest of the row), and the sum of that."""

    exponential: Map
    source: Tensor
    """x."""


def softmax_at(value: Tensor) -> Softmax | None:
    """The exponential of a softmax that this value is."""
    value = plain(value)
    arguments = operation(value, "math.exp")
    if arguments is None or not isinstance(value, Map):
        return None
    parts = _difference(arguments[0])
    if parts is None or not isinstance(parts[0], Tensor) or not _is_top(parts[1], parts[0]):
        return None
    return Softmax(value, plain(parts[0]))


def _difference(
    value: Tensor | float | None,
) -> tuple[Tensor | float | None, Tensor | float | None] | None:
    """x and y of x - y, also of x + -y and -(y - x)."""
    parts = operation(value, "arith.subf")
    if parts is not None:
        return parts[0], parts[1]
    parts = operation(value, "arith.addf")
    if parts is not None:
        for x, y in (parts, parts[::-1]):
            negated = operation(y, "arith.negf")
            if negated is not None:
                return x, negated[0]
    parts = operation(value, "arith.negf")
    parts = operation(parts[0], "arith.subf") if parts is not None else None
    return (parts[1], parts[0]) if parts is not None else None


def divided(value: Tensor) -> tuple[Tensor, Tensor] | None:
    """(x, y) of x / y, also where it is spelled x * (1 / y)."""
    parts = operation(value, "arith.divf")
    if parts is not None and isinstance(parts[0], Tensor) and isinstance(parts[1], Tensor):
        return parts[0], parts[1]
    parts = operation(value, "arith.mulf")
    if parts is None:
        return None
    for x, inverse in (parts, parts[::-1]):
        under = operation(inverse, "arith.divf")
        if under is not None and under[0] == 1.0 and isinstance(under[1], Tensor):
            return (x, under[1]) if isinstance(x, Tensor) else None
    return None


def readers(value: Tensor) -> list[Tensor]:
    """Who reads a value, copies of it left out."""
    found: list[Tensor] = []
    for user in value.users:
        found.extend(readers(user) if plain(user) is plain(value) else [user])
    return found


def flushable(body: Body) -> set[Map]:
    """Exponentials whose sum is 1 or more (or NaN) and that go nowhere else than into it and into
    quotients by it: what would be subnormal may be 0."""
    found: set[Map] = set()
    for value in body.values():
        softmax = softmax_at(value) if isinstance(value, Map) else None
        if softmax is None or softmax.exponential is not value or value is body.result:
            continue
        if all(_is_share(user, value) for user in readers(value)):
            found.add(softmax.exponential)
    return found


def _is_share(user: Tensor, value: Tensor) -> bool:
    if isinstance(user, Reduce):
        return user.combine == "add"
    parts = divided(user)
    total = total_under(parts[1]) if parts is not None else None
    return (
        parts is not None
        and total is not None
        and plain(parts[0]) is value
        and plain(total[0].source) is value
    )


def as_products(body: Body) -> set[Tensor]:
    """Quotients x / y for which x * (1 / y) is as good: y is the sum of a softmax or a square
    root, whose inverse can neither overflow nor be subnormal."""
    found: set[Tensor] = set()
    for value in body.values():
        parts = operation(value, "arith.divf") if isinstance(value, Map) else None
        if parts is None or plain(value) is not value:
            continue
        x, y = parts
        if not isinstance(x, Tensor) or not isinstance(y, Tensor) or y.element == "f16":
            continue
        total = total_under(y)
        if (total is not None and softmax_at(total[0].source) is not None) or operation(
            y, "math.sqrt"
        ) is not None:
            found.add(value)
    return found
