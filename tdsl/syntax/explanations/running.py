"""E07, E09 and what no text alone can show: arrays, targets, files, later versions."""

from __future__ import annotations

from tdsl.syntax.explanations.text import Explanation

RUNNING = {
    "E0112": Explanation(
        "The text is right and a later version will take it; this one says so instead of guessing. "
        "The message names what is missing.",
    ),
    "E0701": Explanation(
        "Arrays are bound to the fields of a struct by name, dtype and shape; the message lists "
        "every field that does not fit, and says where a transposed layout would.",
    ),
    "E0702": Explanation(
        "An array that is passed from Python has another dtype than the function declares. Nothing "
        "is cast silently; convert it with `astype`.",
    ),
    "E0703": Explanation(
        "An array that is passed from Python has another rank or size. The message shows both "
        "types, and which argument fixed each size.",
    ),
    "E0704": Explanation(
        "An array, a size or the code that would be made is beyond the limits of this version.",
        wrong=(
            "fn f[N](x: f32[N]) -> f32[N] {\n"
            "    sum(stack([i*x for i in 0..100000], axis=0), axis=0)\n}\n"
        ),
        right=(
            "fn f[N](x: f32[N]) -> f32[N] {\n"
            "    sum(f32(iota(100000))[:, newaxis] * x[newaxis, :], axis=0)\n}\n"
        ),
    ),
    "E0705": Explanation(
        "A file of weights is truncated, damaged or not of the kind that it was opened as: a length "
        "that reaches past the end, arrays that overlap, a name that stands twice, a dtype that is "
        "not known. Nothing outside the file is read, and nothing in it is run: pickled objects are "
        "refused. Fetch the file anew, and compare its size or checksum with the original.",
    ),
    "E0706": Explanation(
        "Some kinds of files need a package that TDSL does not install by itself. The message shows "
        "the command that installs it; `pip install 'tdsl[models]'` installs all of them.",
    ),
    "E0707": Explanation(
        "`donate` gives the memory of an argument up for a result of the same type. The array must "
        "own its memory, be writable, and share it with no other argument; after the call it is "
        "refused everywhere, and the result is to be used in its place.",
    ),
    "E0901": Explanation(
        "Code is made for one instance of a function: its packs, dtype parameters and statics must "
        "be fixed, by an `example` in the source or by `--bind NAME=VALUE`.",
    ),
    "E0902": Explanation("The module has no function of the name that was asked for."),
    "E0903": Explanation(
        "Code is made for this processor (`cpu`), or for a GPU that must be named, as in "
        "`--emit=ptx --target=nvptx:sm_80`; stages from `llvm` on belong to one of the two. Code for "
        "a GPU is made for fixed sizes, and only for arrays that a GPU can hold.",
    ),
    "E0904": Explanation(
        "An `assert` in a `test` does not hold. The message shows both sides of the comparison.",
    ),
    "E0905": Explanation(
        "To run on a GPU, code needs one, NVIDIA's driver and the package `cuda-bindings` "
        '(`pip install "tdsl[gpu]"`). Where they are, this is an error of the driver, told with the '
        "function of it that failed and, for a kernel, the line of the program that it computes. A "
        "kernel's own errors come later than its start: with `TDSL_GPU_SYNC=1` in the environment each "
        'is waited for, and the line is the right one. `target="gpu-emulator"` needs no GPU.',
    ),
}
