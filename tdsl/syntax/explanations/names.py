"""E08 and warnings: names, modules, types."""

from __future__ import annotations

from tdsl.syntax.explanations.text import Explanation

NAMES = {
    "E0801": Explanation(
        "Nothing of this name is in scope: no parameter, `let`, function, constant or builtin. "
        "Functions of the library are imported by name. Sizes are bound in the brackets after a "
        "function's name.",
        wrong="fn f[N](x: f32[N]) -> f32[N] { softmax(x) }\n",
        right="from std.nn import softmax\n\nfn f[N](x: f32[N]) -> f32[N] { softmax(x) }\n",
    ),
    "E0802": Explanation(
        "A name has one meaning in a function and in a module: names are bound once, so that a "
        "type or size that a message speaks of is never in doubt.",
        wrong="fn f[N](x: f32[N]) -> f32[N] {\n    let x = x + 1.0\n    x\n}\n",
        right="fn f[N](x: f32[N]) -> f32[N] {\n    let y = x + 1.0\n    y\n}\n",
    ),
    "E0803": Explanation(
        "`import a.b` reads the file a/b.tdsl under the folder of the program; modules that begin "
        "with `std.` are the library's.",
        wrong="from std.nm import relu\n\nfn f(x: f32) -> f32 { relu(x) }\n",
        right="from std.nn import relu\n\nfn f(x: f32) -> f32 { relu(x) }\n",
    ),
    "E0804": Explanation(
        "Only what a module declares `pub` is visible from others.",
        wrong="import std.nn as nn\n\nfn f(x: f32) -> f32 { nn.rellu(x) }\n",
        right="import std.nn as nn\n\nfn f(x: f32) -> f32 { nn.relu(x) }\n",
    ),
    "E0805": Explanation(
        "Modules are read before what imports them, so none can be needed to read itself. Move "
        "what both need into a third module.",
    ),
    "E0806": Explanation(
        "A type is a dtype (f64 f32 f16 bf16 i64 i32 i16 i8 u32 u8 bool, or a dtype parameter) "
        "with sizes in brackets, an alias, or a tuple of types.",
        wrong="fn f[N](x: float32[N]) -> f32[N] { x }\n",
        right="fn f[N](x: f32[N]) -> f32[N] { x }\n",
    ),
    "E0807": Explanation(
        "`x.name` is `.T`, `.dtype` or a field; `x.name(…)` calls the function or builtin `name` "
        "with x as its first argument.",
        wrong="fn f[N](x: f32[N]) -> f32 { x.total() }\n",
        right="fn f[N](x: f32[N]) -> f32 { x.sum() }\n",
    ),
    "E0808": Explanation(
        "A type alias is given as many sizes and dtypes as it declares.",
        wrong="type Row[N] = f32[1, N]\n\nfn f[N](x: Row[1, N]) -> f32[N] { x[0] }\n",
        right="type Row[N] = f32[1, N]\n\nfn f[N](x: Row[N]) -> f32[N] { x[0] }\n",
    ),
    "E0809": Explanation(
        "Builtins and dtypes keep their names, so that a program reads the same everywhere. "
        "(A local value may be called as a builtin; a dtype's name is never free.)",
        wrong="fn exp[N](x: f32[N]) -> f32[N] { x }\n",
        right="fn expand[N](x: f32[N]) -> f32[N] { x }\n",
    ),
    "W0001": Explanation(
        "An operation gives f64 though the module never speaks of f64: for example `/` of integers, "
        "or a number with a fraction and an integer array. f64 takes twice the memory and time. "
        "Cast if that is not meant, or write f64 where it is.",
        wrong="fn f[N](x: i32[N]) -> i32[N] { i32(x * 0.5) }\n",
        right="fn f[N](x: i32[N]) -> i32[N] { i32(f32(x) * 0.5) }\n",
    ),
    "W0004": Explanation(
        "A name is bound and not used. A name that begins with `_` may be left unused.",
        wrong="fn f[N](x: f32[N]) -> f32[N] {\n    let y = x + 1.0\n    x\n}\n",
        right="fn f[N](x: f32[N]) -> f32[N] {\n    let y = x + 1.0\n    y\n}\n",
    ),
}
