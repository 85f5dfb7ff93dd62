"""The tree of a text with all its tokens, built by the parser's own tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tdsl.syntax.formatting.document import EMPTY, Document
from tdsl.syntax.formatting.pieces import Piece
from tdsl.syntax.lexer import Token
from tdsl.syntax.tables import END, NEWLINE, Tables

PARENTHESISED = "parenthesised"


@dataclass(slots=True, eq=False)
class Node:
    """`name` is that of the rule's callback in the builder of the syntax tree, or `parenthesised`.

    `tight` and `bare` are decided from above (where it stands), `document` and what follows from
    below (how it is written).
    """

    name: str
    children: list[Node | Piece]
    # Operators inside are written without spaces, as in the sizes of a type.
    tight: bool = False
    # The only content of brackets, which indent it already.
    bare: bool = False
    document: Document = EMPTY
    # What the node around may take apart: the parts of a chain of operations or of a postfix.
    parts: list[Document] = field(default_factory=list)

    def nodes(self) -> Iterator[Node]:
        return (child for child in self.children if isinstance(child, Node))


def build_tree(tables: Tables, tokens: Sequence[Token], pieces: Mapping[int, Piece]) -> Node:
    """The tree of tokens that the parser accepts, as laid out for it."""
    actions, gotos, rules = tables.actions, tables.gotos, tables.rules
    states = [tables.start]
    # A helper rule's value is a list, which the rule around splices in.
    values: list[Node | Piece | list[Node | Piece]] = []
    for token in tokens:
        while (action := actions[states[-1]].get(token.type)) is None or action < 0:
            if action is None:
                assert token.type == END, "the parser accepted this text"
                root = values[-1]
                assert isinstance(root, Node)
                return root
            rule = rules[~action]
            children: list[Node | Piece] = []
            if rule.length:
                for value in values[-rule.length :]:
                    if isinstance(value, list):
                        children += value
                    else:
                        children.append(value)
                del states[-rule.length :], values[-rule.length :]
            if rule.callback == "*":
                values.append(children)
            elif rule.callback == "" and rule.length == 1:
                values.append(children[0])
            else:
                values.append(_node(rule.callback, children))
            states.append(gotos[states[-1]][rule.origin])
        states.append(action)
        if token.type == NEWLINE:
            values.append(Piece(NEWLINE, ""))
        else:
            values.append(pieces[token.start])
    raise AssertionError("the tokens do not end with $END")


def _node(name: str, children: list[Node | Piece]) -> Node:
    if name != "attribute":
        children = [c for c in children if not (isinstance(c, Piece) and c.type == NEWLINE)]
    if not name:
        # Thousands of these may be nested, where all else has a limit: they are one node.
        opening, inner, closing = children
        if isinstance(inner, Node) and inner.name == PARENTHESISED:
            inner.children.insert(0, opening)
            inner.children.append(closing)
            return inner
    return Node(name or PARENTHESISED, children)


def top_down(root: Node) -> list[Node]:
    """All nodes, each before those below it."""
    found = [root]
    for node in found:
        found += node.nodes()
    return found
