"""Names that are not there: what was meant, by spelling or by the habits of other languages."""

from __future__ import annotations

from difflib import get_close_matches

from tdsl.check import typed
from tdsl.check.context import Context
from tdsl.check.values import poison
from tdsl.ops.builtins import BUILTINS, CONSTANTS, NAMED, STRUCTURAL
from tdsl.syntax import ast
from tdsl.syntax.diagnostics import Edit, Help
from tdsl.types.dtypes import DTYPES

# What the library has, for names that only lack their import.
STANDARD = {
    "std.nn": frozenset(
        {
            "attend",
            "attention",
            "causal",
            "cross_entropy",
            "feedforward",
            "gelu",
            "gelu_exact",
            "layer_norm",
            "linear",
            "log_softmax",
            "masked_attention",
            "masked_softmax",
            "relu",
            "rms_norm",
            "rotary",
            "silu",
            "softmax",
        }
    )
}

# Modules of Python that people import for what is built in here.
FOREIGN_MODULES = frozenset({"numpy", "torch", "jax", "math", "tensorflow"})

# Names of other languages and libraries: the name here ("" where the remark says it all).
HABITS: dict[str, tuple[str, str]] = {
    "where": ("select", "element by element: `select(condition, a, b)`"),
    "matmul": ("", "matrices are multiplied by `@`: `a @ b`"),
    "dot": ("", "matrices and vectors are multiplied by `@`: `a @ b`"),
    "mm": ("", "matrices are multiplied by `@`: `a @ b`"),
    "bmm": ("", "batches of matrices are multiplied by `@`: `a @ b`"),
    "einsum": ("", "`einsum` is not in this version; use `@`, `transpose` and `sum`"),
    "np": ("", "there is no `np`; builtins are called by their names: `exp(x)`"),
    "numpy": ("", "there is no `numpy`; builtins are called by their names: `exp(x)`"),
    "torch": ("", "there is no `torch`; builtins are called by their names: `exp(x)`"),
    "jnp": ("", "there is no `jnp`; builtins are called by their names: `exp(x)`"),
    "tf": ("", "there is no `tf`; builtins are called by their names: `exp(x)`"),
    "F": ("", "there is no `F`; functions of networks are in `std.nn`"),
    "math": ("", "there is no `math`; builtins are called by their names: `sqrt(x)`"),
    "len": ("", "sizes have names: bind one in the signature, as `N` in `x: f32[N]`"),
    "shape": ("", "sizes have names: bind them in the signature, as `N` in `x: f32[N]`"),
    "size": ("", "sizes have names: bind one in the signature, as `N` in `x: f32[N]`"),
    "range": ("", "a range is written `0..n`; as an array it is `iota(n)`"),
    "arange": ("iota", "`iota(n)` counts from 0 to n-1"),
    "print": ("dbg", '`dbg(x, "label")` prints a value and gives it back'),
    "concatenate": ("concat", "arrays are joined by `concat([a, b], axis=0)`"),
    "cat": ("concat", "arrays are joined by `concat([a, b], axis=0)`"),
    "amax": ("max", ""),
    "amin": ("min", ""),
    "permute": ("transpose", "`transpose(x, [1, 0])` takes the new order of the axes"),
    "swapaxes": ("transpose", "`transpose(x, [1, 0])` takes the new order of the axes"),
    "view": ("reshape", "`reshape(x, [a, b])`"),
    "unsqueeze": ("", "a new axis is written `x[newaxis, :]`"),
    "expand_dims": ("", "a new axis is written `x[newaxis, :]`"),
    "squeeze": ("", "an axis of size 1 is taken away by `x[0]` or `reshape`"),
    "flatten": ("reshape", "`reshape(x, [_])`"),
    "ones": ("full", "`full([n], 1.0, f32)`"),
    "zeros_like": ("zeros", "`zeros([n], x.dtype)`"),
    "ones_like": ("full", "`full([n], 1.0, x.dtype)`"),
    "arrange": ("iota", ""),
    "tile": ("broadcast", ""),
    "broadcast_to": ("broadcast", ""),
    "expand": ("broadcast", ""),
    "power": ("", "a power is written `x ** y`"),
    "pow": ("", "a power is written `x ** y`"),
    "fabs": ("abs", ""),
    "absolute": ("abs", ""),
    "maximum_": ("maximum", ""),
    "ln": ("log", ""),
    "tril": ("causal_mask", "`causal_mask(n, dtype)` hides the later keys"),
    "triu": ("causal_mask", "`causal_mask(n, dtype)` hides the later keys"),
    "astype": ("", "a dtype's name is the cast: `f32(x)`"),
    "cast": ("", "a dtype's name is the cast: `f32(x)`"),
    "masked_fill": ("", "`select(mask, a, b)` takes a where the mask holds, and b elsewhere"),
    "std": ("", "with `d = x - mean(x, axis=…, keepdims=true)` it is `sqrt(mean(d * d, axis=…))`"),
    "var": ("", "with `d = x - mean(x, axis=…, keepdims=true)` it is `mean(d * d, axis=…)`"),
    "clamp": ("clip", "`clip(x, low, high)`"),
    "gather": ("take", "`take(x, ids, axis=0)`"),
    "embedding": ("take", "`take(table, ids, axis=0)`"),
    "outer": ("", "an outer product is `x[:, newaxis] * y[newaxis, :]`"),
    "dropout": ("", "leave it out: it changes nothing when a trained model runs"),
    "contiguous": ("", "leave it out: how arrays lie in memory is the compiler's choice"),
    "detach": ("", "leave it out: there are no gradients"),
    "clone": ("", "leave it out: nothing changes an array"),
    "self": ("", "there are no methods with a `self`; functions take what they work on"),
    "None": ("", "every expression has a value; a new axis is `newaxis`"),
    "float": ("f32", "dtypes are f64 f32 f16 bf16 i64 i32 i16 i8 u32 u8 bool"),
    "float16": ("f16", ""),
    "float32": ("f32", ""),
    "float64": ("f64", ""),
    "double": ("f64", ""),
    "half": ("f16", ""),
    "bfloat16": ("bf16", ""),
    "int": ("i64", "dtypes are f64 f32 f16 bf16 i64 i32 i16 i8 u32 u8 bool"),
    "int8": ("i8", ""),
    "int16": ("i16", ""),
    "int32": ("i32", ""),
    "int64": ("i64", ""),
    "long": ("i64", ""),
    "uint8": ("u8", ""),
    "uint32": ("u32", ""),
    "F32": ("f32", ""),
    "F64": ("f64", ""),
    "tensor": ("", "an array's type is its dtype with its sizes: `f32[M, N]`"),
    "Tensor": ("", "an array's type is its dtype with its sizes: `f32[M, N]`"),
    "array": ("", "an array's type is its dtype with its sizes: `f32[M, N]`"),
}


def unknown_name(
    context: Context, node: ast.Variable | ast.Name, what: str = "name"
) -> typed.Expression:
    """Report a name that means nothing here, with what was probably meant."""
    name = node.name if isinstance(node, ast.Variable) else node.text
    if name in context.owner.unknown:
        return poison(node.span)
    context.owner.unknown.add(name)
    helps = helps_for(context, name, node)
    notes: list[str] = []
    if isinstance(node, ast.Variable) and name.isidentifier() and name[0].isupper():
        helps += _bind_size(context, name)
        notes = _known_sizes(context)
    context.fail(node, "E0801", f"unknown {what} `{name}`", notes=notes, helps=helps)
    return poison(node.span)


def _known_sizes(context: Context) -> list[str]:
    function = context.owner.node
    names = [] if function is None else [p.name.text for p in function.parameters]
    if function is None or not names:
        return []
    verb = "is" if len(names) == 1 else "are"
    listed = ", ".join(f"`{name}`" for name in names)
    return [
        f"the parameter{'s' if len(names) > 1 else ''} of `{function.name.text}` {verb} {listed}"
    ]


def _bind_size(context: Context, name: str) -> list[Help]:
    """A size must be among the parameters of its function."""
    function = context.owner.node
    if function is None:
        return []
    if function.parameters:
        end, text = function.parameters[-1].span.end, f", {name}"
    else:
        end, text = function.name.span.end, f"[{name}]"
    names = [
        ("..." if isinstance(parameter, ast.PackParameter) else "") + parameter.name.text
        for parameter in function.parameters
    ]
    head = f"{function.name.text}[{', '.join([*names, name])}]"
    edit = Edit(function.span.source.span(end, end), text)
    return [Help(f"bind the size among the parameters: `fn {head}`", (edit,))]


def helps_for(context: Context, name: str, node: ast.Node) -> list[Help]:
    if name in HABITS:
        instead, remark = HABITS[name]
        text = remark or f"in TDSL it is `{instead}`"
        edits = (Edit(node.span, instead),) if instead else ()
        return [Help(text, edits, stands=True)]
    if name in BUILTINS and name not in NAMED:
        operator = BUILTINS[name].operator
        example = f"{operator} a" if name == "logical_not" else f"a {operator} b"
        return [Help(f"it is written as the operator `{operator}`: `{example}`")]
    for module, members in STANDARD.items():
        if name in members:
            line = f"from {module} import {name}"
            edit = _import_edit(context.module.tree, module, name)
            return [Help(f"`{name}` is in the library: add `{line}`", (edit,), stands=True)]
    known = [
        *context.environment.names(),
        *context.module.entries,
        *DTYPES,
        *NAMED,
        *STRUCTURAL,
        *CONSTANTS,
    ]
    close = get_close_matches(name, known, 1, 0.7)
    if not close:
        lower = [other for other in known if other.lower() == name.lower()]
        close = lower[:1]
    if not close:
        return []
    return [Help(f"did you mean `{close[0]}`?", (Edit(node.span, close[0]),))]


def _import_edit(tree: ast.Module, module: str, name: str) -> Edit:
    """Import one more name: in the import of this module that is there, or in a new line."""
    source = tree.source
    for item in tree.items:
        if isinstance(item, ast.ImportNames) and ".".join(p.text for p in item.path) == module:
            end = item.names[-1].span.end
            return Edit(source.span(end, end), f", {name}")
    place = _import_place(tree)
    return Edit(source.span(place, place), f"from {module} import {name}\n\n")


def _import_place(tree: ast.Module) -> int:
    """Where a new import goes: before the first item, below the edition line."""
    source = tree.source
    if not tree.items:
        return len(source.text)
    line = tree.items[0].span.line
    # Documentation of the first item stands above it.
    while line > 1 and source.line_text(line - 1).lstrip().startswith(("##", "@")):
        line -= 1
    return source.line_starts[line - 1]
