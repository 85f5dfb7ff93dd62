"""How expressions, types and patterns are written: one function for each rule of the grammar."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from tdsl.syntax.formatting.brackets import Listing
from tdsl.syntax.formatting.document import (
    INDENT,
    WIDTH,
    Break,
    Choice,
    Concat,
    Document,
    Flat,
    Group,
    Indent,
    Line,
    Place,
    Text,
    Written,
    bracketed,
)
from tdsl.syntax.formatting.pieces import Piece
from tdsl.syntax.formatting.tree import PARENTHESISED, Node
from tdsl.syntax.tables import FLOAT, INT

SPACE = Text(" ")
Rule = Callable[[Node], Document]

_LEVELS = (
    ("or",),
    ("and",),
    ("==", "!=", "<", "<=", ">", ">="),
    ("+", "-"),
    ("*", "@", "/", "//", "%"),
    ("**",),
)
_LEVEL = {operator: level for level, operators in enumerate(_LEVELS) for operator in operators}
# Written without spaces among sizes.
_TIGHT = frozenset(("+", "-", "*", "/", "//", "%", "**"))
_BRACKETED = frozenset(
    ("call", "subscripted", PARENTHESISED, "list", "tuple", "comprehension", "marked_comprehension")
)
_ATOMS = frozenset(("variable", "integer", "float", "true", "false", "wildcard", "string"))


def written(child: Node | Piece) -> Document:
    return child.document if isinstance(child, Node) else Written(child)


def spaced(children: Iterable[Node | Piece]) -> Document:
    """The children with a space between any two."""
    parts: list[Document] = []
    for child in children:
        if parts:
            parts.append(SPACE)
        parts.append(written(child))
    return Concat(parts)


def joined(node: Node) -> Document:
    """The children side by side."""
    return Concat(map(written, node.children))


def words(node: Node) -> Document:
    return spaced(node.children)


def operator_of(node: Node) -> str:
    sign = node.children[1] if node.name == "binary" else node.children[0]
    assert isinstance(sign, Piece)
    return sign.type


# --- operations


def binary(node: Node) -> Document:
    left, sign, right = node.children
    assert isinstance(left, Node)
    assert isinstance(sign, Piece)
    assert isinstance(right, Node)
    operator = sign.type
    if operator == "**":
        space = "" if node.tight or (_is_simple(left) and _is_simple(right)) else " "
    else:
        space = "" if node.tight and operator in _TIGHT else " "
    same = left.name == "binary" and _LEVEL[operator_of(left)] == _LEVEL[operator] != _LEVEL["**"]
    operands = left.parts if same else [left.document]
    # Each part but the last ends in its operator.
    node.parts = [
        *operands[:-1],
        Concat((operands[-1], Text(space), Written(sign))),
        right.document,
    ]
    return chain(node.parts, Line(space), right.name in _BRACKETED, node.bare)


def chain(parts: Sequence[Document], line: Line, hugs: bool, bare: bool) -> Document:
    """Operands with a place to break after each operator; if the last is in brackets (`hugs`),
    breaking those may be enough. In brackets of its own (`bare`) it needs no indentation."""
    flat: list[Document] = [parts[0]]
    for part in parts[1:]:
        flat += (line, part)
    head = Concat(flat[:-1])

    def choose(place: Place) -> Document:
        further = 0 if bare else INDENT
        one_each = all(
            part.flat is not None and place.indent + further + part.flat <= WIDTH for part in parts
        )
        # The first part may stand further to the right than the others.
        if one_each and place.column + (parts[0].flat or 0) > WIDTH:
            one_each = False
        if hugs and not one_each and head.flat is not None and not _meets_comment(head, parts[-1]):
            return Concat((Flat(head), parts[-1]))
        rest = Concat(flat[1:])
        return Concat((parts[0], rest if bare else Indent(rest)))

    return Choice(Concat(flat), choose)


def _meets_comment(left: Document, right: Document) -> bool:
    return left.ends_in_comment or bool(right.first is not None and right.first.before)


def _is_simple(node: Node) -> bool:
    """A name, a number, a field, or one of these with a minus."""
    while node.name in ("attribute_of", "unary"):
        if node.name == "unary" and operator_of(node) == "not":
            return False
        inner = node.children[0 if node.name == "attribute_of" else 1]
        assert isinstance(inner, Node)
        node = inner
    return node.name in _ATOMS


def unary(node: Node) -> Document:
    return words(node) if operator_of(node) == "not" else joined(node)


# --- what stands behind an expression


def attribute_of(node: Node) -> Document:
    value, dot, name = node.children
    assert isinstance(value, Node)
    last = value.document.last
    # `1 .T`, where `1.T` would be a float and a name.
    number = last is not None and (
        last.type == INT or (last.type == FLOAT and last.text.endswith("."))
    )
    field = Concat((Text(" " if number else ""), written(dot), written(name)))
    node.parts = [*(value.parts if _is_postfix(value) else [value.document]), field]
    return _postfix(node)


def subscripted(node: Node) -> Document:
    value, opening, inner, closing = node.children
    assert isinstance(inner, Node)
    return _with_brackets(node, value, opening, inner.children, closing)


def call(node: Node) -> Document:
    value, opening, *inner, closing = node.children
    items = inner[0].children if inner and isinstance(inner[0], Node) else []
    return _with_brackets(node, value, opening, items, closing)


def _with_brackets(
    node: Node,
    value: Node | Piece,
    opening: Node | Piece,
    inner: Sequence[Node | Piece],
    closing: Node | Piece,
) -> Document:
    assert isinstance(value, Node)
    assert isinstance(opening, Piece)
    assert isinstance(closing, Piece)
    listing = Listing(opening, inner, closing)
    node.parts = [*(value.parts if _is_postfix(value) else [value.document]), listing.document]
    return _postfix(node)


def _is_postfix(node: Node) -> bool:
    return node.name in ("attribute_of", "subscripted", "call")


def _postfix(node: Node) -> Document:
    parts = node.parts
    content = Concat(parts)
    if not any(isinstance(part, (Choice, Group)) for part in parts):
        return content

    def choose(place: Place) -> Document:
        """Break the widest brackets that what stands before lets begin on this line."""
        if content.flat is None:
            return content
        widest, width, column = None, 2, place.column
        for index, part in enumerate(parts):
            assert part.flat is not None
            if isinstance(part, (Choice, Group)) and part.flat > width and column < WIDTH:
                widest, width = index, part.flat
            column += part.flat
        if widest is None:
            return content
        target = parts[widest]
        after = Concat(parts[widest + 1 :])
        if place.indent + 1 + (after.flat or 0) + place.rest <= WIDTH:
            after = Concat((Flat(after),))
        broken = target
        if isinstance(target, Choice):
            choose_target = target.choose
            broken = Choice(Concat((target.content, Break())), choose_target, target.least)
        return Concat((Flat(Concat(parts[:widest])), broken, after))

    return Choice(content, choose)


# --- subscripts


def slice_(node: Node) -> Document:
    """`a:b`; with spaces where both sides are more than a name or a number: `i*C : (i+1)*C`."""
    colon = next(i for i, c in enumerate(node.children) if isinstance(c, Piece))
    sides = list(node.nodes())
    spaces = len(sides) == 2 and not all(map(_is_simple, sides))
    parts: list[Document] = []
    for i, child in enumerate(node.children):
        if spaces and i >= colon:
            parts.append(SPACE)
        parts.append(written(child))
    return Concat(parts)


def range_(node: Node) -> Document:
    left, dots, right = node.children
    assert isinstance(left, Node)
    last = left.document.last
    # `1. ..n`, where `1...n` would be something else.
    gap = " " if last is not None and last.type == FLOAT and last.text.endswith(".") else ""
    return Concat((left.document, Text(gap), written(dots), written(right)))


# --- brackets


def parenthesised(node: Node) -> Document:
    """`(a)`, or several directly inside each other, which are opened together."""
    depth = len(node.children) // 2
    inner, closing, *others = node.children[depth:]
    assert isinstance(inner, Node)
    assert isinstance(closing, Piece)
    opening = Concat(map(written, node.children[:depth]))
    return Group(Concat((bracketed(opening, inner.document, closing), *map(written, others))))


def listed(node: Node) -> Document:
    """A list, or what else stands in brackets with commas between."""
    opening, *inner, closing = node.children
    assert isinstance(opening, Piece)
    assert isinstance(closing, Piece)
    return Listing(opening, inner, closing).document


def tuple_(node: Node) -> Document:
    opening, *inner, closing = node.children
    assert isinstance(opening, Piece)
    assert isinstance(closing, Piece)
    return Listing(opening, inner, closing, comma_kept=len(inner) == 2).document


def comprehension(node: Node) -> Document:
    opening, body, word, pattern, in_, iterated, closing = node.children
    assert isinstance(closing, Piece)
    clause = spaced((word, pattern, in_, iterated))
    inner = Group(Concat((written(body), Line(" "), clause)))
    return Group(bracketed(written(opening), inner, closing))


def list_type(node: Node) -> Document:
    opening, item, semicolon, length, closing = node.children
    assert isinstance(closing, Piece)
    inner = Concat((written(item), written(semicolon), SPACE, written(length)))
    return Group(bracketed(written(opening), inner, closing))


def named_type(node: Node) -> Document:
    name, *brackets = node.children
    if not brackets:
        return written(name)
    opening, dimensions, closing = brackets
    assert isinstance(opening, Piece)
    assert isinstance(dimensions, Node)
    assert isinstance(closing, Piece)
    return Concat((written(name), Listing(opening, dimensions.children, closing).document))


# --- loops and choices


def attribute(node: Node) -> Document:
    """`@name`, on its own line where the author put it so."""
    sign, name, *end = node.children
    return Concat((written(sign), written(name), Break() if end else SPACE))


def loop(node: Node) -> Document:
    attributes = [child for child in node.nodes() if child.name == "attribute"]
    word, state, equals, initial, for_, pattern, in_, iterated, block = node.children[
        len(attributes) :
    ]
    assert isinstance(block, Node)
    clause = spaced((for_, pattern, in_, iterated))
    opening, body = block.parts
    start = spaced((word, state, equals, initial))
    end = Group(Concat((Indent(Concat((Line(" "), clause))), Line(" "), opening)))
    return Concat((*(a.document for a in attributes), start, end, Group(body)))


def if_(node: Node) -> Document:
    """All blocks on one line, or none."""
    word, condition, then, else_, otherwise = node.children
    assert isinstance(then, Node)
    assert isinstance(otherwise, Node)
    node.parts = [
        Concat((written(word), SPACE, written(condition), SPACE)),
        *then.parts,
        Concat((SPACE, written(else_), SPACE)),
        *otherwise.parts,
    ]
    return Group(Concat(node.parts))


EXPRESSION_RULES: dict[str, Rule] = {
    "binary": binary,
    "unary": unary,
    "attribute_of": attribute_of,
    "subscripted": subscripted,
    "call": call,
    "slice": slice_,
    "range": range_,
    PARENTHESISED: parenthesised,
    "list": listed,
    "list_pattern": listed,
    "tuple": tuple_,
    "tuple_pattern": tuple_,
    "tuple_type": tuple_,
    "comprehension": comprehension,
    "list_type": list_type,
    "named_type": named_type,
    "attribute": attribute,
    "loop": loop,
    "if_": if_,
}
