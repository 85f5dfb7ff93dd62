"""One random edit of a program's text, and what becomes of the program."""

from __future__ import annotations

import re
from random import Random

# Names, numbers, then signs; comments and strings are left as they are.
TOKEN = re.compile(
    r"#[^\n]*|\"[^\"\n]*\"|[A-Za-z_]\w*|\d+\.\d+(?:e[-+]?\d+)?|\d+"
    r"|\*\*|//|==|!=|<=|>=|->|\.\.\.|\.\.|[^\sA-Za-z_0-9]"
)
OPERATORS = ("+", "-", "*", "/", "//", "%", "**", "@", "<", "<=", ">", "==", "!=")
NUMBERS = ("0", "1", "2", "3", "-1", "-2", "0.5", "7", "40")
WORDS = frozenset(
    [
        "fn",
        "let",
        "pub",
        "struct",
        "import",
        "from",
        "as",
        "static",
        "where",
        "divides",
        "fold",
        "scan",
        "for",
        "in",
        "if",
        "else",
        "tdsl",
        "example",
        "test",
        "const",
        "type",
    ]
)
FUNCTIONS = (
    ("sum", "mean", "max", "min", "prod", "cumsum", "argmax", "any"),
    ("exp", "tanh", "abs", "sqrt", "log", "floor", "sigmoid", "sign", "softmax"),
    ("maximum", "minimum"),
    ("slice", "update", "take"),
    ("f32", "f64", "f16", "bf16", "i32", "i64", "i8", "u8", "u32", "bool"),
    ("zeros", "eye", "iota", "full"),
    ("concat", "stack"),
    ("fold", "scan"),
)
KINDS = ("name", "name", "function", "number", "operator", "swap", "delete", "double", "list")


def edited(text: str, random: Random, start: int = 0) -> str:
    """The text with one edit somewhere after `start`."""
    tokens = [m for m in TOKEN.finditer(text, start) if m.group()[0] not in '#"']
    names = sorted({m.group() for m in tokens if m.group()[0].isalpha()} - WORDS)

    def replaced(match: re.Match[str], by: str) -> str:
        return text[: match.start()] + by + text[match.end() :]

    for _ in range(20):
        kind = random.choice(KINDS)
        at = random.randrange(len(tokens) - 2)
        token, word = tokens[at], tokens[at].group()
        after = tokens[at + random.randint(1, 2)]
        found = text
        if kind == "name" and word in names:
            found = replaced(token, random.choice(names))
        elif kind == "function":
            group = next((g for g in FUNCTIONS if word in g), None)
            if group is not None:
                found = replaced(token, random.choice(group))
        elif kind == "number" and word[0].isdigit():
            found = replaced(token, random.choice(NUMBERS))
        elif kind == "operator" and word in OPERATORS:
            found = replaced(token, random.choice(OPERATORS))
        elif kind == "swap":
            between = text[token.end() : after.start()]
            found = text[: token.start()] + after.group() + between + word + text[after.end() :]
        elif kind == "delete":
            found = replaced(token, "")
        elif kind == "double":
            found = replaced(token, f"{word} {word}")
        elif kind == "list":
            # Axes, permutations, shapes, lists of names: two items change places.
            lists = list(re.finditer(r"\[([^\[\]()\n]+,[^\[\]()\n]+)\]", text[start:]))
            if lists:
                chosen = random.choice(lists)
                items = chosen.group(1).split(",")
                i = random.randrange(len(items) - 1)
                items[i], items[i + 1] = items[i + 1].strip(), " " + items[i].strip()
                place = start + chosen.start(1)
                found = text[:place] + ",".join(items).strip() + text[start + chosen.end(1) :]
        if found != text:
            return found
    return text + "\n)"
