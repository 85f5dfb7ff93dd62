"""LALR tables of the grammar: built by Lark, kept as JSON in the user's cache folder.

Lark builds the tables, a small driver of our own (parser.py) runs them. So a warm start imports
neither Lark nor anything that executes code from a cache: the file is plain data with a checksum,
named after the hash of the grammar.
"""

from __future__ import annotations

import hashlib
import json
import os
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from tdsl.syntax.own_files import cache_folder, read_own
from tdsl.syntax.resources import grammar_text

# Counts up when the shape of the stored data changes.
_FORMAT = 2
_MOST_BYTES = 1 << 24

# Token types that are not spelled by themselves.
NAME, INT, FLOAT, STRING, NEWLINE, END = "NAME", "INT", "FLOAT", "STRING", "_NL", "$END"

# A child of a reduced rule: index >= 0 is kept, ABSENT stands for an optional part left out,
# an index encoded by `-2 - index` is a helper rule's list, which is spliced in.
ABSENT = -1


class Rule(msgspec.Struct, frozen=True):
    """What to do when a rule is reduced.

    `callback` names the method that builds the node; "" passes the single kept child on, and "*"
    collects the children for the rule around it.
    """

    origin: str
    length: int
    callback: str
    children: tuple[int, ...]


class Tables(msgspec.Struct, frozen=True):
    """`actions[state][token]`: n >= 0 shifts to state n, n < 0 reduces rule ~n.

    Token types are NAME, INT, FLOAT, STRING, _NL, $END and, for signs and words, their spelling.
    """

    actions: tuple[dict[str, int], ...]
    gotos: tuple[dict[str, int], ...]
    rules: tuple[Rule, ...]
    start: int
    end: int
    patterns: str
    signs: tuple[str, ...]
    words: frozenset[str]


@lru_cache(maxsize=1)
def load_tables() -> Tables:
    """The tables of the installed grammar, from the cache or newly built."""
    grammar = grammar_text()
    digest = hashlib.sha256(f"{_FORMAT}\n{grammar}".encode()).hexdigest()
    path = cache_folder() / f"grammar-{digest[:32]}.json"
    stored = _read(path, digest)
    if stored is None:
        stored = build(grammar)
        _write(path, digest, stored)
    return _from_json(stored)


def build(grammar: str) -> dict[str, Any]:
    """Run Lark on the grammar; the result is JSON data."""
    # Imported here: it costs a third of a warm start and is needed once a user.
    import lark
    from lark.grammar import Rule as LarkRule
    from lark.lexer import PatternStr
    from lark.parsers.lalr_analysis import Shift

    parser = lark.Lark(grammar, parser="lalr", lexer="basic", maybe_placeholders=True)
    table: Any = parser.parser.parser._parse_table

    ignored = set(parser.ignore_tokens)
    spelling = {"$END": END}
    words: list[str] = []
    signs: list[str] = []
    patterns = []
    for terminal in parser.terminals:
        if isinstance(terminal.pattern, PatternStr):
            text = terminal.pattern.value
            spelling[terminal.name] = text
            (words if text.isidentifier() else signs).append(text)
        else:
            spelling[terminal.name] = terminal.name
            patterns.append(terminal)
    patterns.sort(key=lambda terminal: -terminal.priority)
    signs.sort(key=len, reverse=True)
    assert {"DOC", "COMMENT", "WHITESPACE"} == ignored
    alternatives = [f"(?P<{t.name}>{t.pattern.to_regexp()})" for t in patterns]

    # Lark numbers states differently in each run: count them in the order in which they are met.
    states = [table.start_states["start"]]
    met = set(states)
    for state in states:
        for symbol in sorted(table.states[state]):
            action, argument = table.states[state][symbol]
            if action is Shift and argument not in met:
                met.add(argument)
                states.append(argument)
    number = {state: index for index, state in enumerate(states)}
    rules: dict[LarkRule, int] = {rule: index for index, rule in enumerate(parser.rules)}
    nonterminals = {rule.origin.name for rule in parser.rules}
    actions: list[dict[str, int]] = []
    gotos: list[dict[str, int]] = []
    for state in states:
        actions.append({})
        gotos.append({})
        for symbol in sorted(table.states[state]):
            action, argument = table.states[state][symbol]
            if symbol in nonterminals:
                gotos[-1][symbol] = number[argument]
            elif action is Shift:
                actions[-1][spelling[symbol]] = number[argument]
            else:
                actions[-1][spelling[symbol]] = ~rules[argument]
    return {
        "actions": actions,
        "gotos": gotos,
        "rules": [_rule(rule) for rule in parser.rules],
        "start": number[table.start_states["start"]],
        "end": number[table.end_states["start"]],
        "patterns": "|".join(alternatives),
        "signs": signs,
        "words": words,
    }


def _rule(rule: Any) -> list[Any]:
    """Origin, length, callback and children of a rule of Lark, with Lark's own filtering."""
    empty = (
        "".join(str(int(bit)) for bit in rule.options.empty_indices)
        if (rule.options.empty_indices)
        else "0" * len(rule.expansion)
    )
    absent_before = [len(ones) for ones in empty.split("0")]
    children: list[int] = []
    for index, symbol in enumerate(rule.expansion):
        children += [ABSENT] * absent_before[index]
        if symbol.is_term:
            if rule.options.keep_all_tokens or not symbol.filter_out:
                children.append(index)
        elif symbol.name.startswith("_"):
            children.append(-2 - index)
        else:
            children.append(index)
    children += [ABSENT] * absent_before[-1]
    name = rule.origin.name
    if name.startswith("_"):
        callback = "*"
    elif rule.alias:
        callback = rule.alias
    elif rule.options.expand1 and len(children) == 1 and children[0] >= 0:
        callback = ""
    else:
        callback = name
    return [name, len(rule.expansion), callback, children]


def _from_json(data: dict[str, Any]) -> Tables:
    return Tables(
        actions=tuple(data["actions"]),
        gotos=tuple(data["gotos"]),
        rules=tuple(Rule(o, n, c, tuple(children)) for o, n, c, children in data["rules"]),
        start=data["start"],
        end=data["end"],
        patterns=data["patterns"],
        signs=tuple(data["signs"]),
        words=frozenset(data["words"]),
    )


def _read(path: Path, digest: str) -> dict[str, Any] | None:
    """The stored tables of the grammar with this digest, or None if there are none that this user
    stored, whole. Others may be able to write to the folder: to move files in it, then, but not to
    make any that are ours."""
    try:
        found = read_own(path, _MOST_BYTES, closed=True)
    except OSError:
        return None
    checksum, _, body = (found or b"").partition(b"\n")
    if _checksum(digest, body) != checksum:
        return None
    data: dict[str, Any] = json.loads(body)
    return data


def _checksum(digest: str, body: bytes) -> bytes:
    return hashlib.sha256(digest.encode() + body).hexdigest().encode()


def _write(path: Path, digest: str, data: dict[str, Any]) -> None:
    """Store the tables in one step; a folder that cannot be written only costs time."""
    import tempfile

    body = json.dumps(data, separators=(",", ":")).encode()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".grammar-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_checksum(digest, body) + b"\n" + body)
            os.replace(temporary, path)
        except OSError:
            os.unlink(temporary)
    except OSError:
        return
