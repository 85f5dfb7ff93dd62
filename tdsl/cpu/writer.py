"""Writing kernels as MLIR text: names, index arithmetic that folds numbers, loops and branches."""

from __future__ import annotations

from collections.abc import Callable, Sequence

Index = int | str
"""A number known now, or the name of a value of type index."""

_NO_WRAP = "overflow<nsw, nuw>"


class Writer:
    """The lines of one function. Constants stand at its beginning, each once."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._count = 0
        self._constants: dict[str, str] = {}

    def fresh(self) -> str:
        self._count += 1
        return f"%v{self._count}"

    def raw(self, line: str) -> None:
        self._lines.append(line)

    def op(self, operation: str) -> str:
        """Append an operation with one result."""
        name = self.fresh()
        self._lines.append(f"{name} = {operation}")
        return name

    def constant(self, value: str, type_: str) -> str:
        """`value` as it is spelled before its type."""
        key = f"{value} : {type_}"
        if key not in self._constants:
            self._constants[key] = f"%k{len(self._constants)}"
        return self._constants[key]

    # --- index arithmetic

    def index(self, value: Index) -> str:
        return self.constant(str(value), "index") if isinstance(value, int) else value

    def add(self, left: Index, right: Index) -> Index:
        if isinstance(left, int) and isinstance(right, int):
            return left + right
        if 0 in (left, right):
            return right if left == 0 else left
        return self._arith("addi", left, right, _NO_WRAP)

    def sub(self, left: Index, right: Index) -> Index:
        if isinstance(left, int) and isinstance(right, int):
            return left - right
        return left if right == 0 else self._arith("subi", left, right)

    def mul(self, left: Index, right: Index) -> Index:
        if isinstance(left, int) and isinstance(right, int):
            return left * right
        if 1 in (left, right):
            return right if left == 1 else left
        return self._arith("muli", left, right, _NO_WRAP)

    def div(self, left: Index, right: Index) -> Index:
        if isinstance(left, int) and isinstance(right, int):
            return left // right
        return left if right == 1 else self._arith("divui", left, right)

    def rem(self, left: Index, right: Index) -> Index:
        if isinstance(left, int) and isinstance(right, int):
            return left % right
        return 0 if right == 1 else self._arith("remui", left, right)

    def least(self, left: Index, right: Index) -> Index:
        if isinstance(left, int) and isinstance(right, int):
            return min(left, right)
        return self._arith("minui", left, right)

    def up_to(self, value: Index, step: int) -> Index:
        """How many steps reach the value."""
        return self.div(self.add(value, step - 1), step)

    def compare(self, predicate: str, left: Index, right: Index) -> bool | str:
        """ult, uge, eq …; a bool where both are known."""
        if isinstance(left, int) and isinstance(right, int):
            return {
                "ult": left < right,
                "ule": left <= right,
                "uge": left >= right,
                "ugt": left > right,
                "eq": left == right,
            }[predicate]
        return self.op(f"arith.cmpi {predicate}, {self.index(left)}, {self.index(right)} : index")

    def choose(self, condition: bool | str, left: Index, right: Index) -> Index:
        if isinstance(condition, bool):
            return left if condition else right
        return self.op(f"arith.select {condition}, {self.index(left)}, {self.index(right)} : index")

    def _arith(self, name: str, left: Index, right: Index, flags: str = "") -> str:
        spelled = f" {flags}" if flags else ""
        return self.op(f"arith.{name} {self.index(left)}, {self.index(right)}{spelled} : index")

    # --- control

    def loop(
        self,
        start: Index,
        stop: Index,
        step: Index,
        body: Callable[[str, list[str]], Sequence[str]],
        carried: Sequence[str] = (),
        types: Sequence[str] = (),
    ) -> list[str]:
        """`body` gets the counter and what is carried, and gives what is carried on."""
        counter = self.fresh()
        inside = [self.fresh() for _ in carried]
        bounds = f"{self.index(start)} to {self.index(stop)} step {self.index(step)}"
        if not carried:
            self.raw(f"scf.for {counter} = {bounds} {{")
            body(counter, [])
            self.raw("}")
            return []
        name = self.fresh()
        pairs = ", ".join(f"{a} = {b}" for a, b in zip(inside, carried, strict=True))
        shown = ", ".join(types)
        self.raw(
            f"{name}:{len(inside)} = scf.for {counter} = {bounds} "
            f"iter_args({pairs}) -> ({shown}) {{"
        )
        given = body(counter, inside)
        self.raw(f"scf.yield {', '.join(given)} : {shown}")
        self.raw("}")
        return [f"{name}#{place}" for place in range(len(inside))]

    def branch(
        self,
        condition: bool | str,
        then: Callable[[], None],
        otherwise: Callable[[], None] | None = None,
    ) -> None:
        """Only the side that is taken, where that is known."""
        if isinstance(condition, bool):
            chosen = then if condition else otherwise
            if chosen is not None:
                chosen()
            return
        self.raw(f"scf.if {condition} {{")
        then()
        if otherwise is not None:
            self.raw("} else {")
            otherwise()
        self.raw("}")

    def function(self, name: str, arguments: Sequence[tuple[str, str]]) -> str:
        """All of it, as a private function without results."""
        taken = ", ".join(f"{value}: {type_}" for value, type_ in arguments)
        constants = [f"{name} = arith.constant {text}" for text, name in self._constants.items()]
        body = "\n  ".join([*constants, *self._lines, "return"])
        return f'func.func private @"{name}"({taken}) {{\n  {body}\n}}\n'


def call(name: str, arguments: Sequence[tuple[str, str]]) -> str:
    values = ", ".join(value for value, _ in arguments)
    types = ", ".join(type_ for _, type_ in arguments)
    return f'func.call @"{name}"({values}) : ({types}) -> ()'
