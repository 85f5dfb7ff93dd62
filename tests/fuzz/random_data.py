"""Random well-typed programs with structs, lists, loops and run-time positions.

Expressions are made for a type that is wanted, of what is in scope; so what comes out is well
typed by construction, and every float stays around 1, however often a loop goes round.
"""

from __future__ import annotations

from random import Random

from random_types import Both, Leaf, Many, Record, Struct, Tree, leaves, placed

FLOATS = ("E", "E", "f32", "f32", "f32", "f64", "f16", "bf16")
INTEGERS = ("i32", "i32", "i64", "i16", "i8", "u32", "u8")
OTHERS = (*INTEGERS, "bool", "bool")
SIZES = ("N", "M", "K")


Scope = list[tuple[str, Tree]]


class DataGenerator:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.count = 0
        self.structs: list[Struct] = []
        # In half of the programs those of one or two widths, whose tolerance is small.
        self.floats = FLOATS if random.random() < 0.5 else ("f32", "f32", "f64")
        if random.random() < 0.5:
            self.floats = ("E", *self.floats)

    def name(self, letter: str = "v") -> str:
        self.count += 1
        return f"{letter}{self.count}"

    def chance(self, p: float) -> bool:
        return self.random.random() < p

    # --- types

    def leaf(self, sizes: tuple[str, ...] = SIZES, dtypes: tuple[str, ...] = ()) -> Leaf:
        rank = self.random.choice((0, 1, 1, 1, 2, 2))
        dtype = self.random.choice(dtypes or (*self.floats * 3, *OTHERS))
        return Leaf(dtype, tuple(self.random.choice(sizes) for _ in range(rank)))

    def declare(self) -> None:
        """A struct over sizes A and B, a dtype T, and maybe with a struct or list inside."""
        fields: list[tuple[str, Tree]] = [
            ("w", Leaf("T", ("A", "B"))),
            ("b", self.leaf(("A", "B"), ("T",))),
        ]
        if self.chance(0.5):
            fields.append(("n", self.leaf(("A", "B"), (*OTHERS, "f32"))))
        if self.structs and self.chance(0.6):
            fields.append(("part", self.instance(self.structs[-1], ("A", "B"), "T")))
        if self.structs and self.chance(0.3):
            inner = self.random.choice(self.structs)
            fields.append(("parts", Many(self.instance(inner, ("A", "B"), "T"), "2")))
        if self.chance(0.4):
            fields.append(("rows", Many(self.leaf(("A", "B"), ("T",)), "A")))
        if self.chance(0.3):
            fields.append(("pair", Both((Leaf("T", ("B",)), Leaf("T")))))
        name = f"Part{len(self.structs)}"
        self.structs.append(Struct(name, ("A", "B", "T: dtype(float)"), tuple(fields)))

    def instance(self, struct: Struct, sizes: tuple[str, ...], dtype: str) -> Record:
        a, b = self.random.choice(sizes), self.random.choice(sizes)
        by = {"A": a, "B": b, "T": dtype}
        fields = tuple((field, placed(t, by)) for field, t in struct.fields)
        return Record(struct.name, (a, b, dtype), fields)

    def record(self) -> Record:
        return self.instance(
            self.random.choice(self.structs), SIZES, self.random.choice(self.floats)
        )

    def item(self) -> Tree:
        form = self.random.random()
        if form < 0.5:
            return self.leaf()
        if form < 0.8:
            return self.record()
        if form < 0.9:
            return Both((self.leaf(), self.leaf()))
        return Many(self.leaf(), self.random.choice(SIZES))

    # --- expressions of a type

    def number(self, leaf: Leaf) -> str:
        values: tuple[str, ...] = ("0.5", "-0.25", "1.5", "pi")
        if leaf.dtype in OTHERS:
            values = ("1", "2", "3", "7") if leaf.dtype[0] == "u" else ("1", "2", "-3", "7")
        if leaf.dtype == "bool":
            values = ("true", "false")
        value = self.random.choice(values)
        if leaf.shape:
            return f"full([{', '.join(leaf.shape)}], {value}, {leaf.dtype})"
        return f"{leaf.dtype}({value})"

    def found(self, wanted: Leaf, scope: Scope) -> str | None:
        """Something in scope of just this type, or cut down to it."""
        fits: list[str] = []
        for name, tree in scope:
            for text, leaf in leaves(name, tree):
                if leaf.dtype != wanted.dtype:
                    # Floats stay around 1, and what jumps is made of what is exact.
                    if leaf.shape == wanted.shape and (leaf.dtype in OTHERS) == (
                        wanted.dtype in OTHERS
                    ):
                        fits.append(f"{wanted.dtype}({text})")
                    continue
                if leaf.shape == wanted.shape:
                    fits += [text] * 3
                elif leaf.shape[1:] == wanted.shape and leaf.shape:
                    fits += [f"{text}[0]", f"{text}[-1]", f"max({text}, axis=0)"]
                    if wanted.dtype not in OTHERS:
                        fits.append(f"mean({text}, axis=0)")
                    if wanted.dtype == "bool":
                        fits += [f"any({text}, axis=0)", f"all({text}, axis=0)"]
                elif leaf.shape[::-1] == wanted.shape:
                    fits.append(f"{text}.T")
                elif len(leaf.shape) == 2 and leaf.shape[:1] == wanted.shape:
                    fits += [f"{text}[:, 0]", f"min({text}, axis=-1)"]
                elif len(wanted.shape) == 2 and leaf.shape == wanted.shape[1:]:
                    fits.append(f"broadcast({text}, [{', '.join(wanted.shape)}])")
        return self.random.choice(fits) if fits else None

    def product(self, wanted: Leaf, scope: Scope) -> str | None:
        if not wanted.shape or wanted.dtype in OTHERS:
            return None
        every = [
            (text, leaf)
            for name, tree in scope
            for text, leaf in leaves(name, tree)
            if leaf.dtype == wanted.dtype and leaf.shape
        ]
        fits = [
            f"{a} @ {b}"
            for a, x in every
            for b, y in every
            if x.shape[-1] == y.shape[0] and x.shape[:-1] + y.shape[1:] == wanted.shape
        ]
        return self.random.choice(fits) if fits else None

    def array(self, wanted: Leaf, scope: Scope, depth: int = 2) -> str:
        if depth == 0 or self.chance(0.2):
            return self.found(wanted, scope) or self.number(wanted)
        if self.chance(0.3) and (product := self.product(wanted, scope)):
            return f"tanh(0.25 * ({product}))"
        one = self.array(wanted, scope, depth - 1)
        if self.chance(0.25):
            form = "not " if wanted.dtype == "bool" else "abs"
            return f"{form}({one})" if wanted.dtype in OTHERS else f"tanh({one})"
        less = Leaf(wanted.dtype, wanted.shape[self.random.randint(0, 1) :])
        two = self.array(less, scope, depth - 1)
        if wanted.dtype == "bool":
            if self.chance(0.4):
                number = Leaf(self.random.choice(INTEGERS), wanted.shape)
                one, two = self.array(number, scope, 1), self.array(number, scope, 1)
                return f"(({one}) {self.random.choice(('<', '>=', '==', '!='))} ({two}))"
            return f"({one} {self.random.choice(('and', 'or'))} {two})"
        if wanted.dtype in INTEGERS:
            operation = self.random.choice(("+", "-", "*", "//", "%"))
            return f"({one} {operation} {two})"
        if self.chance(0.1):
            chosen = self.array(Leaf("bool", wanted.shape), scope, 1)
            same = self.array(wanted, scope, depth - 1)
            return f"select({chosen}, {one}, {same})"
        form = self.random.choice(("+", "-", "*", "maximum", "minimum"))
        if form in ("maximum", "minimum"):
            return f"{form}({one}, {two})"
        return f"tanh({one} {form} {two})"

    def build(self, wanted: Tree, scope: Scope) -> str:
        same = [name for name, tree in scope if tree == wanted]
        match wanted:
            case Leaf():
                return self.array(wanted, scope)
            case Both(items):
                return f"({', '.join(self.build(item, scope) for item in items)})"
            case Record(name, _, fields):
                if same and self.chance(0.2):
                    return self.random.choice(same)
                given = [f"{field}={self.build(tree, scope)}" for field, tree in fields]
                self.random.shuffle(given)
                return f"{name}({', '.join(given)})"
            case Many(item, length):
                if same and self.chance(0.4):
                    return self.random.choice(same)
                index = self.name("j")
                if length.isdigit() and self.chance(0.5):
                    written = [self.build(item, scope) for _ in range(int(length))]
                    return f"[{', '.join(written)}]"
                inner = [*scope, *self.indexed(index, length, scope)]
                return f"[{self.build(item, inner)} for {index} in 0..{length}]"

    def indexed(self, index: str, length: str, scope: Scope) -> Scope:
        """What an index in 0..length picks out of what is in scope."""
        found: Scope = []
        for name, tree in scope:
            for text, leaf in leaves(name, tree):
                if leaf.shape[:1] == (length,):
                    row = Leaf(leaf.dtype, leaf.shape[1:])
                    found += [(f"{text}[{index}]", row), (f"{text}[{length} - 1 - {index}]", row)]
            # One of a literal length may be written out, and then takes no index of a loop.
            if isinstance(tree, Many) and tree.length == length and not length.isdigit():
                found.append((f"{name}[{index}]", tree.item))
        return self.random.sample(found, min(len(found), 4))

    # --- statements: each gives lines, and what is in scope from then on

    def loop(self, scope: Scope) -> tuple[str, Scope]:
        """fold or scan, over a list, lists side by side, or indices."""
        state: Tree = self.item()
        lists = [(n, t) for n, t in scope if isinstance(t, Many)]
        form = self.random.random()
        if lists and form < 0.6:
            first = self.random.choice(lists)
            with_it = [(n, t) for n, t in lists if t.length == first[1].length]
            several = self.random.sample(with_it, min(len(with_it), self.random.randint(1, 3)))
            names = [self.name("b") for _ in several]
            inside = [(name, t.item) for name, (_, t) in zip(names, several, strict=True)]
            length = first[1].length
            if len(several) == 1:
                over, pattern = several[0][0], names[0]
                item = several[0][1].item
                if isinstance(item, Both) and self.chance(0.6):
                    names = [self.name("b") for _ in item.items]
                    pattern = f"({', '.join(names)})"
                    inside = list(zip(names, item.items, strict=True))
            else:
                over = f"zip({', '.join(n for n, _ in several)})"
                pattern = f"({', '.join(names)})"
        else:
            length = self.random.choice((*SIZES, "L", "3"))
            pattern = self.name("j")
            over, inside = f"0..{length}", self.indexed(pattern, length, scope)
            inside += self.windows(pattern, length)
        unroll = "@unroll " if length.isdigit() and self.chance(0.5) else ""
        start = self.build(state, scope)
        held, held_scope = self.pattern(state)
        body_scope = [*scope, *inside * 2, *held_scope * 2]
        lines: list[str] = []
        if self.chance(0.3):
            inner, body_scope = self.loop(body_scope) if self.chance(0.4) else self.let(body_scope)
            lines.append(inner)
        result = self.name()
        if self.chance(0.5):
            value = self.build(state, body_scope)
            text = f"{unroll}fold {held} = {start} for {pattern} in {over}"
            given, then = f"let {result} = ", [(result, state)]
        else:
            item = self.item()
            value = f"({self.build(state, body_scope)}, {self.build(item, body_scope)})"
            text = f"{unroll}scan {held} = {start} for {pattern} in {over}"
            every = self.name()
            given = f"let ({result}, {every}) = "
            then = [(result, state), (every, Many(item, length))]
        body = "\n".join([*lines, value]).replace("\n", "\n    ")
        return f"{given}{text} {{\n    {body}\n}}", [*scope, *then]

    def pattern(self, tree: Tree) -> tuple[str, Scope]:
        if isinstance(tree, Both):
            parts = [self.name("s") for _ in tree.items]
            return f"({', '.join(parts)})", list(zip(parts, tree.items, strict=True))
        name = self.name("s")
        return name, [(name, tree)]

    def windows(self, index: str, length: str) -> Scope:
        """Parts of `long`, an argument of L*N elements, by an index in 0..L."""
        if length != "L":
            return []
        return [
            (f"long[{index}*N : ({index} + 1)*N]", Leaf("f32", ("N",))),
            (f"long[{index}]", Leaf("f32")),
        ]

    def let(self, scope: Scope) -> tuple[str, Scope]:
        wanted, name = self.item(), self.name()
        note = f": {wanted}" if self.chance(0.2) else ""
        return f"let {name}{note} = {self.build(wanted, scope)}", [*scope, (name, wanted)]

    def position(self, scope: Scope) -> tuple[str, Scope]:
        """take, slice and update with positions that are known when the program runs."""
        every = [
            (text, leaf) for name, tree in scope for text, leaf in leaves(name, tree) if leaf.shape
        ]
        if not every:
            return self.let(scope)
        text, leaf = self.random.choice(every)
        name = self.name()
        rest = leaf.shape[1:]
        form = self.random.choice(("take", "slice", "update"))
        if form == "take":
            value = f"take({text}, ids, axis=0)"
            return f"let {name} = {value}", [*scope, (name, Leaf(leaf.dtype, ("K", *rest)))]
        zeros = ["0"] * len(rest)
        at = self.random.choice(("at", "0", "i32(0)", "minimum(at, 1)"))
        where = f"at=[{', '.join([at, *zeros])}]"
        if form == "slice":
            value = f"slice({text}, {where}, size=[{', '.join(['1', *rest])}])"
            return f"let {name} = {value}[0]", [*scope, (name, Leaf(leaf.dtype, rest))]
        row = self.array(Leaf(leaf.dtype, rest), scope)
        value = f"update({text}, ({row})[newaxis], {where})"
        if not rest:
            value = f"update({text}, stack([{row}], axis=0), {where})"
        return f"let {name} = {value}", [*scope, (name, leaf)]

    def helped(self, scope: Scope) -> tuple[str, Scope]:
        """A function that is called with a struct, before or after the dot."""
        records = [(n, t) for n, t in scope if isinstance(t, Record)]
        if not records:
            return self.let(scope)
        text, record = self.random.choice(records)
        number, name = record.name.removeprefix("Part"), self.name()
        call = f"{text}.use{number}()" if self.chance(0.5) else f"use{number}({text})"
        return f"let {name} = {call}", [
            *scope,
            (name, Leaf(record.arguments[2], record.arguments[:2])),
        ]

    # --- the whole

    def helper(self, number: int, struct: Struct) -> str:
        record = Record(struct.name, ("A", "B", "T"), struct.fields)
        body = self.array(Leaf("T", ("A", "B")), [("p", record)])
        return f"fn use{number}[A, B, T: dtype(float)](p: {record}) -> T[A, B] {{\n    {body}\n}}\n"

    def program(self, length: int) -> str:
        for _ in range(self.random.randint(1, 3)):
            self.declare()
        scope: Scope = [
            ("first", Leaf(self.floats[0], ("N", "M"))),
            ("second", Leaf("f32", ("M", "K"))),
            ("third", Leaf("i32", ("N",))),
        ]
        scope += [(self.name("x"), self.item()) for _ in range(self.random.randint(1, 2))]
        lengths = ("L", "L", "N")
        scope += [
            (self.name("x"), Many(self.item(), self.random.choice(lengths)))
            for _ in range(self.random.randint(1, 3))
        ]
        arguments = [f"{name}: {tree}" for name, tree in scope]
        arguments += ["long: f32[L*N]", "ids: i32[K]", "at: i32"]
        lines: list[str] = []
        before = len(scope)
        for _ in range(length):
            step = self.random.choices(
                (self.loop, self.let, self.position, self.helped), (5, 2, 2, 1)
            )[0]
            line, scope = step(scope)
            lines.append(line)
        results = self.random.sample(scope[before:], min(len(scope) - before, 3))
        value = ", ".join(name for name, _ in results)
        type_ = ", ".join(str(tree) for _, tree in results)
        if len(results) > 1:
            value, type_ = f"({value})", f"({type_})"
        body = "\n".join(lines).replace("\n", "\n    ")
        structs = "\n".join(
            f"pub struct {s.name}[{', '.join(s.parameters)}] {{\n"
            + "".join(f"    {field}: {tree}\n" for field, tree in s.fields)
            + "}\n"
            for s in self.structs
        )
        helpers = "\n".join(self.helper(n, s) for n, s in enumerate(self.structs))
        dtype = "E: dtype(float), " if "E" in self.floats else ""
        return (
            f"tdsl 0.1\n\n{structs}\n{helpers}\n"
            f"pub fn f[{dtype}N, M, K, L]({', '.join(arguments)}) -> {type_} {{\n"
            f"    {body}\n    {value}\n}}\n"
        )


def generate_data(seed: int, length: int = 4) -> str:
    """The text of a program with one function `f` to call."""
    return DataGenerator(Random(seed)).program(length)
