"""The table of diagnostic codes: the one place that defines them; explanations/ says more."""

from __future__ import annotations

import msgspec

from tdsl.syntax.explanations import EXPLANATIONS


class Code(msgspec.Struct, frozen=True):
    """A kind of diagnostic.

    `title` is a phrase of a few words; `explanation` says in plain prose why the language refuses
    this and what to do; `wrong` is a whole smallest program that gives exactly this code, `right`
    the same program mended ("" for codes that no source text alone can give).
    """

    code: str
    title: str
    explanation: str = ""
    wrong: str = ""
    right: str = ""


_ALL = (
    # --- E01 syntax
    Code(
        "E0101",
        "unexpected text",
        explanation=(
            "The text does not follow the grammar of the language. The message says what could "
            "stand at the marked place; often a bracket, a comma or an operator is missing just "
            "before it."
        ),
        wrong=("tdsl 0.1\nfn f[N](x: f32[N]) -> f32[N] { x y }\n"),
        right=("tdsl 0.1\nfn f[N](x: f32[N]) -> f32[N] { x }\n"),
    ),
    Code(
        "E0102",
        "the file ends too early",
        explanation=(
            "The file ends inside something that is not finished. The message shows the bracket "
            "that is still open, and another one where the indentation suggests that the missing "
            "`}` belongs there."
        ),
        wrong=("tdsl 0.1\nfn f[N](x: f32[N]) -> f32[N] {\n    x\n"),
        right=("tdsl 0.1\nfn f[N](x: f32[N]) -> f32[N] {\n    x\n}\n"),
    ),
    Code(
        "E0103",
        "a character that the language does not have",
        explanation=(
            "Programs are written with the signs of ASCII; any text may stand in comments and "
            "strings. Strings stand in double quotes on one line, with the escapes `\\n`, `\\t`, "
            '`\\r`, `\\"`, `\\\\` and `\\0`. Editors and web pages often replace a minus sign, a quote'
            " or a space by a look-alike; write it anew."
        ),
        wrong=("tdsl 0.1\nfn f[N](x: f32[N]) -> f32[N] { x − 1.0 }\n"),
        right=("tdsl 0.1\nfn f[N](x: f32[N]) -> f32[N] { x - 1.0 }\n"),
    ),
    Code(
        "E0104",
        "a result type is written after `->`",
        explanation=(
            "Every function declares the type of its result, after `->`. Callers rely on this "
            "type alone, and the body is checked against it."
        ),
        wrong=("tdsl 0.1\nfn f[N](x: f32[N]): f32[N] { x }\n"),
        right=("tdsl 0.1\nfn f[N](x: f32[N]) -> f32[N] { x }\n"),
    ),
    Code(
        "E0105",
        "slices have unit stride",
        explanation=(
            "A slice `a:b` takes neighbours: it is a view of an array whose stride is one. There "
            "is no step. Take every second entry by reshaping to pairs, for example `reshape(x, "
            "[N, 2])[:, 0]`."
        ),
        wrong=("tdsl 0.1\nfn f[N](x: f32[2*N]) -> f32[N] { x[::2] }\n"),
        right=("tdsl 0.1\nfn f[N](x: f32[2*N]) -> f32[N] { reshape(x, [N, 2])[:, 0] }\n"),
    ),
    Code(
        "E0106",
        "comparisons do not chain",
        explanation=(
            "A comparison has two sides. `a < b < c` would compare a truth value with `c`; write "
            "`a < b and b < c`."
        ),
        wrong=("tdsl 0.1\nfn f[N](x: f32[N]) -> bool[N] { 0.0 < x < 1.0 }\n"),
        right=("tdsl 0.1\nfn f[N](x: f32[N]) -> bool[N] { 0.0 < x and x < 1.0 }\n"),
    ),
    Code(
        "E0107",
        "static arguments are passed by name",
        explanation=(
            "In brackets after a function, statics are given by name, as in `causal[Q=T, "
            "N=T](0)`. Anything without a name is an index. The order of parameters can then "
            "change without harm."
        ),
        wrong=(
            "tdsl 0.1\n"
            "fn g[static H, static K](x: f32[H, K]) -> f32[H, K] { x }\n"
            "fn f(x: f32[2, 3]) -> f32[2, 3] { g[H=2, 3](x) }\n"
        ),
        right=(
            "tdsl 0.1\n"
            "fn g[static H, static K](x: f32[H, K]) -> f32[H, K] { x }\n"
            "fn f(x: f32[2, 3]) -> f32[2, 3] { g[H=2, K=3](x) }\n"
        ),
    ),
    Code(
        "E0108",
        "functions are defined with `fn`",
        explanation=(
            "A function is `fn name[sizes](arguments) -> type { body }`. Functions stand at the "
            "top of a file, not inside others."
        ),
        wrong=("tdsl 0.1\ndef f[N](x: f32[N]) -> f32[N] { x }\n"),
        right=("tdsl 0.1\nfn f[N](x: f32[N]) -> f32[N] { x }\n"),
    ),
    Code(
        "E0109",
        "blocks are written in braces",
        explanation=("A block is `{ … }`. Indentation has no meaning, and a `:` opens nothing."),
        wrong=("tdsl 0.1\nfn f[N](x: f32[N]) -> f32[N]:\n    x\n"),
        right=("tdsl 0.1\nfn f[N](x: f32[N]) -> f32[N] {\n    x\n}\n"),
    ),
    Code(
        "E0110",
        "names are bound once, with `let`",
        explanation=(
            "Nothing in TDSL changes: a name is bound once by `let`, at the top of a file by "
            "`const`. What a loop would change is the state of a `fold`; a changed array is a new"
            " one, from `update` or `select`."
        ),
        wrong=("tdsl 0.1\nfn f[N](x: f32[N]) -> f32[N] {\n    y = x + 1.0\n    y\n}\n"),
        right=("tdsl 0.1\nfn f[N](x: f32[N]) -> f32[N] {\n    let y = x + 1.0\n    y\n}\n"),
    ),
    Code(
        "E0111",
        "nested too deeply",
        explanation=(
            "An expression, type or pattern may be nested 150 levels deep, where each operation "
            "of a chain like `a + b + c` counts as one. Name parts of it with `let`; a block may "
            "hold any number of these."
        ),
        wrong="tdsl 0.1\nfn f(x: f32) -> f32 { " + "-" * 151 + "x }\n",
        right=("tdsl 0.1\nfn f(x: f32) -> f32 { -x }\n"),
    ),
    Code(
        "E0112",
        "not yet in this version",
        explanation=("The language has this, but this version of TDSL does not do it yet."),
    ),
    Code(
        "E0113",
        "unknown edition",
        explanation=(
            "The line `tdsl 0.1` at the top of a file says which edition of the language it is "
            "written in, so that later versions read it as it was meant. This version does not "
            "know the edition that is named."
        ),
        wrong=("tdsl 9.9\nfn f[N](x: f32[N]) -> f32[N] { x }\n"),
        right=("tdsl 0.1\nfn f[N](x: f32[N]) -> f32[N] { x }\n"),
    ),
    Code(
        "E0114",
        "unknown attribute",
        explanation=(
            "There are two attributes: `@inline` before a `fn`, and `@unroll` before `fold`, "
            "`scan` or a comprehension."
        ),
        wrong=("tdsl 0.1\n@fast\nfn f[N](x: f32[N]) -> f32[N] { x }\n"),
        right=("tdsl 0.1\n@inline\nfn f[N](x: f32[N]) -> f32[N] { x }\n"),
    ),
    Code(
        "E0115",
        "`assert` stands only in a test",
        explanation=(
            "`assert` checks values, and values exist when a `test` runs. What must hold for the "
            "sizes of a function stands in its `where` clause, and is proved before anything "
            "runs."
        ),
        wrong=("tdsl 0.1\nfn f[N](x: f32[N]) -> f32[N] {\n    assert allclose(x, x)\n    x\n}\n"),
        right=(
            "tdsl 0.1\n"
            "fn f[N](x: f32[N]) -> f32[N] {\n"
            "    x\n"
            "}\n"
            "\n"
            'test "f gives its argument" {\n'
            "    assert allclose(f(zeros([2], f32)), zeros([2], f32))\n"
            "}\n"
        ),
    ),
    Code(
        "E0116",
        "the source is not valid UTF-8 text",
        explanation=("Source files are UTF-8. Save the file in that encoding."),
    ),
    Code(
        "E0117",
        "a word of another language",
        explanation=(
            "This is how another language writes it. The message says what TDSL has for it."
        ),
        wrong=("tdsl 0.1\nfn f[N](x: f32[N]) -> f32[N] { return x }\n"),
        right=("tdsl 0.1\nfn f[N](x: f32[N]) -> f32[N] { x }\n"),
    ),
    Code(
        "E0118",
        "a block ends without a value",
        explanation=(
            "A block is an expression: its value is that of its last line, which therefore is an "
            "expression and not a `let`. A `test` holds at least one `assert`."
        ),
        wrong=("tdsl 0.1\nfn f[N](x: f32[N]) -> f32[N] {\n    let y = x + 1.0\n}\n"),
        right=("tdsl 0.1\nfn f[N](x: f32[N]) -> f32[N] {\n    let y = x + 1.0\n    y\n}\n"),
    ),
    # --- E02 declared against given
    Code("E0201", "a value of another kind is needed here"),
    Code("E0202", "a pattern does not fit its value"),
    Code("E0203", "a `let` declares another type than its value has"),
    Code("E0204", "the body gives another type than the function declares"),
    Code("E0205", "a number does not fit its dtype"),
    Code("E0206", "a static value is needed here"),
    Code("E0207", "the branches of an `if` differ in type"),
    Code("E0208", "the items of a list differ in type"),
    Code("E0209", "an example declares another type than the function gives"),
    Code("E0210", "this expression's value is not used"),
    # --- E03 operands
    Code("E0301", "operands of `@` need one axis or more"),
    Code("E0302", "contracted sizes differ"),
    Code("E0303", "batch axes differ"),
    Code("E0304", "sizes do not broadcast"),
    Code("E0305", "both operands would grow"),
    Code("E0306", "an operation does not take this dtype"),
    Code("E0307", "a dtype parameter meets another dtype"),
    Code("E0308", "an operation does not take this kind of value"),
    # --- E04 shape operations
    Code("E0401", "a slice may run out of bounds"),
    Code("E0402", "too many indices"),
    Code("E0403", "no such axis"),
    Code("E0404", "not a permutation of the axes"),
    Code("E0405", "element counts differ"),
    Code("E0406", "a start index must be a scalar integer"),
    Code("E0407", "lists of different length"),
    Code("E0408", "an index may be out of bounds"),
    Code("E0409", "sizes of the joined arrays differ"),
    Code("E0410", "`.T` is for matrices"),
    Code("E0411", "sizes have names; there is no `.shape`"),
    Code("E0412", "does not divide evenly"),
    Code("E0413", "a size may be smaller than 1"),
    Code("E0414", "only what is known before the program runs can stand here"),
    # --- E05 calls and sizes
    Code("E0501", "no such parameter"),
    Code("E0502", "an argument has another rank, dtype or kind"),
    Code("E0503", "wrong number of arguments"),
    Code("E0504", "an argument has another size"),
    Code("E0505", "sizes that no values satisfy"),
    Code("E0506", "a size cannot be inferred"),
    Code("E0507", "a `where` clause is not known to hold"),
    Code("E0508", "a size may be smaller than 1"),
    Code("E0509", "an argument is given twice"),
    Code("E0510", "a static argument is missing"),
    Code("E0511", "this is not a function"),
    Code("E0512", "a `where` clause of a form that is not supported"),
    Code("E0513", "functions may not call themselves"),
    Code("E0514", "not allowed in a size"),
    # --- E06 loops
    Code("E0601", "the loop's state changes its type"),
    Code("E0602", "an empty range"),
    Code("E0603", "this cannot be iterated"),
    # --- E07 binding of weights and arrays
    Code("E0701", "weights do not fit"),
    Code("E0702", "an array argument has another dtype"),
    Code("E0703", "an array argument has another shape"),
    Code("E0704", "too large"),
    Code("E0705", "a file of weights cannot be read"),
    Code("E0706", "an optional package is not installed"),
    Code("E0707", "an array was donated, or cannot be"),
    # --- E08 names and modules
    Code("E0801", "unknown name"),
    Code("E0802", "a name is defined twice"),
    Code("E0803", "no such module"),
    Code("E0804", "a module has no such public name"),
    Code("E0805", "modules import each other"),
    Code("E0806", "unknown type"),
    Code("E0807", "no such field or method"),
    Code("E0808", "wrong number of type arguments"),
    Code("E0809", "a name of the language cannot be redefined"),
    # --- E09 targets and stages
    Code("E0901", "this function needs an example or --bind to be emitted"),
    Code("E0902", "no such function in the module"),
    Code("E0903", "a target, or a stage of a target, that there is not"),
    Code("E0904", "a test fails"),
    Code("E0905", "a GPU or its driver is missing, or fails"),
    # --- W warnings
    Code("W0001", "f64 appears by promotion"),
    Code(
        "W0002",
        "no edition line",
        explanation=(
            "The line `tdsl 0.1` at the top of a file says which edition of the language it is "
            "written in. Without it the newest is taken, and a later version of TDSL may read the"
            " file differently."
        ),
        wrong="fn f[N](x: f32[N]) -> f32[N] { x }\n",
        right=("tdsl 0.1\nfn f[N](x: f32[N]) -> f32[N] { x }\n"),
    ),
    Code(
        "W0003",
        "a statement begins with a token that could continue the line before",
        explanation=(
            "A line that begins with `-`, `(`, `[` or `@` begins a new statement. Where it looks "
            "like more of the line before, say which is meant: end that line with the operator to"
            " continue it, or put parentheses around the new statement."
        ),
        wrong=("tdsl 0.1\nfn f[N](x: f32[N]) -> f32[N] {\n    let y = x\n    - y\n}\n"),
        right=("tdsl 0.1\nfn f[N](x: f32[N]) -> f32[N] {\n    let y = x\n    (-y)\n}\n"),
    ),
    Code("W0004", "unused name"),
    Code(
        "W0005",
        "a documentation comment that documents nothing",
        explanation=(
            "A `##` comment documents the item or field after it, or the field before it on the "
            "same line, or at the top of a file the module. Elsewhere it documents nothing; an "
            "ordinary comment begins with one `#`."
        ),
        wrong=("tdsl 0.1\nfn f[N](x: f32[N]) -> f32[N] {\n    ## The value.\n    x\n}\n"),
        right=("tdsl 0.1\nfn f[N](x: f32[N]) -> f32[N] {\n    # The value.\n    x\n}\n"),
    ),
)


def _explained(entry: Code) -> Code:
    """The entry with what explanations/ says of it."""
    found = EXPLANATIONS.get(entry.code)
    if found is None:
        return entry
    edition = "tdsl 0.1\n"
    return Code(
        entry.code,
        entry.title,
        found.text,
        edition + found.wrong if found.wrong else "",
        edition + found.right if found.right else "",
    )


CODES: dict[str, Code] = {entry.code: _explained(entry) for entry in _ALL}
