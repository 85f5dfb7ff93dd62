"""The table of diagnostic codes: the one place that defines them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Code:
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
    Code("E0101", "unexpected text"),
    Code("E0102", "the file ends too early"),
    Code("E0103", "a character that the language does not have"),
    Code("E0104", "a result type is written after `->`"),
    Code("E0105", "slices have unit stride"),
    Code("E0106", "comparisons do not chain"),
    Code("E0107", "static arguments are passed by name"),
    Code("E0108", "functions are defined with `fn`"),
    Code("E0109", "blocks are written in braces"),
    Code("E0110", "names are bound once, with `let`"),
    Code("E0111", "nested too deeply"),
    Code("E0112", "not yet in this version"),
    Code("E0113", "unknown edition"),
    Code("E0114", "unknown attribute"),
    Code("E0115", "`assert` stands only in a test"),
    Code("E0116", "the source is not valid UTF-8 text"),
    Code("E0117", "a word of another language"),
    Code("E0118", "a block ends without a value"),
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
    Code("E0414", "only a literal range can be used here"),
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
    Code("E0903", "a target or stage that is not there yet"),
    Code("E0904", "a test fails"),
    # --- W warnings
    Code("W0001", "f64 appears by promotion"),
    Code("W0002", "no edition line"),
    Code("W0003", "a statement begins with a token that could continue the line before"),
    Code("W0004", "unused name"),
    Code("W0005", "a documentation comment that documents nothing"),
)

CODES: dict[str, Code] = {entry.code: entry for entry in _ALL}
