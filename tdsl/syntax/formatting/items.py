"""How statements, items and whole files are written: one function for each rule of the grammar."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tdsl.syntax.formatting.brackets import Listing
from tdsl.syntax.formatting.document import (
    Break,
    Choice,
    Comments,
    Concat,
    Document,
    Group,
    Indent,
    Line,
    Place,
    Text,
    TrailingComment,
    Written,
    begins_line,
    without_comments_before,
)
from tdsl.syntax.formatting.expressions import (
    EXPRESSION_RULES,
    SPACE,
    Rule,
    joined,
    spaced,
    words,
    written,
)
from tdsl.syntax.formatting.pieces import Piece
from tdsl.syntax.formatting.render import CodeLine, align, render
from tdsl.syntax.formatting.tree import PARENTHESISED, Node, top_down

# Items that may stand together without an empty line between, if each is on one line.
_CLOSE = frozenset(
    ("import_module", "import_names", "constant", "alias", "struct", "function", "example")
)
# Inside these, operators stand close, as among sizes; inside those, they have spaces again.
_TIGHT_INSIDE = frozenset(("dimensions", "subscripts", "range", "list_type"))
_SPACED_INSIDE = frozenset(("call_arguments", "list", "tuple", "comprehension", "block"))
_OF_SIZES = frozenset(("variable", "integer", "binary", "unary", PARENTHESISED))


def format_tree(root: Node, end: Piece) -> str:
    """The text of a whole file; `end` has the comments behind its last token."""
    nodes = top_down(root)
    for node in nodes:
        for child in node.nodes():
            child.bare = node.name == PARENTHESISED
            child.tight = node.tight
            if node.name in _TIGHT_INSIDE:
                child.tight = True
            elif node.name in _SPACED_INSIDE:
                child.tight = node.name == "list" and _is_size(child)
    for node in reversed(nodes):
        node.document = _RULES.get(node.name, joined)(node)
    return _file(root, end)


def _is_size(node: Node) -> bool:
    """Made of names and integers alone, as the sizes in a shape are."""
    pending = [node]
    while pending:
        current = pending.pop()
        if current.name not in _OF_SIZES:
            return False
        pending += current.nodes()
    return True


def _file(root: Node, end: Piece) -> str:
    lines: list[CodeLine] = []
    above: _Item | None = None
    for node in root.nodes():
        item = _Item(node)
        if above is not None and not (
            item.close and above.close and item.kind == above.kind and not item.blank_before
        ):
            lines.append(("", None))
        lines += item.lines
        above = item
    if end.before:
        if above is not None and end.before[0].blank_before:
            lines.append(("", None))
        lines += render(Comments(end.before))
    return "".join(line + "\n" for line in align(lines))


class _Item:
    """An item, or the line that names the edition, and its lines."""

    def __init__(self, node: Node) -> None:
        self.kind = node.name
        if node.name == "item":
            body = node.children[-1]
            assert isinstance(body, Node)
            self.kind = body.name
        self.lines = render(node.document)
        first = node.document.first
        assert first is not None
        comments = first.before
        self.blank_before = comments[0].blank_before if comments else first.blank_before
        above = len(comments) + bool(comments and first.blank_before)
        above += sum(comment.blank_before for comment in comments[1:])
        self.close = self.kind in _CLOSE and len(self.lines) == above + 1


# --- blocks and statements


def block(node: Node) -> Document:
    opening, *statements, closing = node.children
    assert isinstance(closing, Piece)
    one_line = (
        len(statements) == 1
        and not closing.newline_before
        and not begins_line(written(statements[0]))
    )
    node.parts = [written(opening), _body(statements, closing, one_line)]
    return Concat((node.parts[0], Group(node.parts[1])))


def _body(statements: Iterable[Node | Piece], closing: Piece, one_line: bool) -> Document:
    """What is between braces, a line each; with the closing one."""
    documents = [written(statement) for statement in statements]
    if one_line:
        (only,) = documents
        return Concat((Indent(Concat((Line(" "), only))), Line(" "), Written(closing)))
    return _lines(documents, closing)


def _lines(documents: Sequence[Document], closing: Piece) -> Document:
    lines: list[Document] = []
    for document in documents:
        first = document.first
        assert first is not None
        # The empty line before or after comments is written with them.
        lines += (Break(blank=first.blank_before and not first.before), document)
    return Concat(
        (
            Indent(Concat((*lines, Comments(closing.before)))),
            Break(),
            Written(without_comments_before(closing)),
        )
    )


def let(node: Node) -> Document:
    word, pattern, *annotation, equals, value = node.children
    return Concat((spaced((word, pattern)), _typed(annotation), SPACE, spaced((equals, value))))


def _typed(annotation: Sequence[Node | Piece]) -> Document:
    """`: type`, or nothing."""
    if not annotation:
        return Concat(())
    colon, type_ = annotation
    return Concat((written(colon), SPACE, written(type_)))


def assert_(node: Node) -> Document:
    word, condition, *message = node.children
    claim = spaced((word, condition))
    if not message:
        return claim
    comma, text = message
    return Group(Concat((claim, written(comma), Indent(Concat((Line(" "), written(text)))))))


# --- functions and their signatures


def parameters(node: Node) -> Document:
    opening, *inner, closing = node.children
    assert isinstance(opening, Piece)
    assert isinstance(closing, Piece)
    return Listing(opening, inner, closing).document


def with_default(node: Node) -> Document:
    """A parameter or an argument: `static name: kind = value`."""
    parts: list[Document] = []
    for child in node.children:
        sign = child.type if isinstance(child, Piece) else ""
        if parts and sign != ":":
            parts.append(SPACE)
        parts.append(written(child))
    return Concat(parts)


def function(node: Node) -> Document:
    children = list(node.children)
    body = children.pop()
    assert isinstance(body, Node)
    where = children.pop() if _is_node(children[-1], "where") else None
    arrow, result = children[-2:]
    word, name, *middle = children[:-2]
    own_parameters = [middle.pop(0)] if _is_node(middle[0], "parameters") else []
    opening, *inner, closing = middle
    assert isinstance(opening, Piece)
    assert isinstance(closing, Piece)
    items = inner[0].children if inner and isinstance(inner[0], Node) else []
    listing = Listing(opening, items, closing)
    start = Concat((spaced((word, name)), *map(written, own_parameters)))
    tail = Concat((SPACE, spaced((arrow, result))))
    brace, statements = body.parts
    if where is None:
        limits: Document = Concat((SPACE, brace))
    else:
        limits = Group(Concat((Indent(Concat((Line(" "), written(where)))), Line(" "), brace)))
    one_line = Concat((start, listing.document, tail))

    def choose(place: Place) -> Document:
        return Concat((start, listing.forced(), tail)) if listing.items else one_line

    return Concat((Choice(one_line, choose), limits, Group(statements)))


def _is_node(child: Node | Piece, name: str) -> bool:
    return isinstance(child, Node) and child.name == name


def where(node: Node) -> Document:
    word, *constraints = node.children
    parts: list[Document] = []
    for child in constraints:
        parts.append(written(child))
        if isinstance(child, Piece):
            parts.append(Line(" "))
    return Group(Concat((written(word), Indent(Concat((Line(" "), *parts))))))


# --- the other items


def item(node: Node) -> Document:
    *before, body = node.children
    parts: list[Document] = []
    for child in before:
        parts.append(written(child))
        if isinstance(child, Piece):
            parts.append(SPACE)
    return Concat((*parts, written(body)))


def constant(node: Node) -> Document:
    word, name, *annotation, equals, value = node.children
    return Concat((spaced((word, name)), _typed(annotation), SPACE, spaced((equals, value))))


def named(node: Node) -> Document:
    """An alias or an example: its parameters follow its name without a space."""
    word, name, *brackets, sign, type_ = node.children
    if len(brackets) == 3:
        opening, inner, closing = brackets
        assert isinstance(opening, Piece)
        assert isinstance(inner, Node)
        assert isinstance(closing, Piece)
        middle = Listing(opening, inner.children, closing).document
    else:
        middle = Concat(map(written, brackets))
    return Concat((spaced((word, name)), middle, SPACE, spaced((sign, type_))))


def struct(node: Node) -> Document:
    word, name, *rest = node.children
    own_parameters = [rest.pop(0)] if _is_node(rest[0], "parameters") else []
    opening, *inner, closing = rest
    assert isinstance(closing, Piece)
    fields = [child for child in inner if isinstance(child, Node)]
    start = Concat((spaced((word, name)), *map(written, own_parameters), SPACE, written(opening)))
    if (
        closing.newline_before
        or any(begins_line(field.document) for field in fields)
        or _has_comments(inner)
    ):
        return Concat((start, _lines(_fields(inner), closing)))
    parts: list[Document] = [SPACE]
    for field in fields:
        parts += (written(field), Text(", "))
    one_line = Concat((*parts[:-1], SPACE, Written(closing)))
    return Concat((start, Choice(one_line, lambda _: _lines(_fields(inner), closing), Line(" "))))


def _fields(inner: Sequence[Node | Piece]) -> list[Document]:
    """The fields without the commas, but with the comments behind those."""
    found: list[Document] = []
    for child in inner:
        if isinstance(child, Node):
            found.append(child.document)
        elif child.before or (child.after is not None and found[-1].ends_in_comment):
            # No other place would keep these comments with what they belong to.
            found[-1] = Concat((found[-1], Written(child)))
        else:
            found[-1] = Concat((found[-1], TrailingComment(child.after)))
    return found


def _has_comments(children: Iterable[Node | Piece]) -> bool:
    return any(isinstance(child, Piece) and child.commented for child in children)


def import_names(node: Node) -> Document:
    """`from a import b, c`; in parentheses where that is too long."""
    word, path, import_, *rest = node.children
    start = spaced((word, path, import_))
    if len(rest) == 1:
        (names,) = rest
        assert isinstance(names, Node)
        opening, closing = Piece("(", "("), Piece(")", ")")
        last = names.document.last
        assert last is not None
        last.after, closing.after = None, last.after
    else:
        left, names, right = rest
        assert isinstance(left, Piece)
        assert isinstance(names, Node)
        assert isinstance(right, Piece)
        opening, closing = left, right
    inner = names.children
    listing = Listing(opening, inner, closing)
    in_brackets = Concat((start, SPACE, listing.forced()))
    if opening.commented or closing.before or _has_comments(inner):
        return in_brackets
    if isinstance(inner[-1], Piece):
        inner = inner[:-1]
    parts: list[Document] = [start, SPACE]
    for child in inner:
        parts.append(written(child))
        if isinstance(child, Piece):
            parts.append(SPACE)
    return Choice(Concat((*parts, TrailingComment(closing.after))), lambda _: in_brackets)


_RULES: dict[str, Rule] = EXPRESSION_RULES | {
    "version": words,
    "item": item,
    "import_module": words,
    "imported_name": words,
    "import_names": import_names,
    "constant": constant,
    "alias": named,
    "struct": struct,
    "field": with_default,
    "function": function,
    "argument": with_default,
    "where": where,
    "constraint": words,
    "parameters": parameters,
    "parameter": with_default,
    "example": named,
    "test": words,
    "block": block,
    "let": let,
    "assert_": assert_,
}
