"""Names of fields as names in a source: tables of data, with `*` for the number of an item."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Literal

import msgspec

Layout = Literal["conv1d", "torch"]


class Names(msgspec.Struct, frozen=True, dict=True):
    """What a family of files calls the fields of a struct.

    `fields`: a field, or the beginning of its name up to a dot, with the name in the file; `*`
    stands for the number of an item. Of several names the first that is there is taken.
    """

    fields: Mapping[str, str | tuple[str, ...]]
    # What names in a file may begin with in addition, as `bert.` of models with a head.
    prefixes: tuple[str, ...] = ("",)
    # Names that belong to no field and need not be told; `*` stands for anything.
    ignore: tuple[str, ...] = ()
    # How matrices of linear maps lie: [in, out] or, as in torch, [out, in].
    layout: Layout = "conv1d"
    # Matrices that are no linear maps, such as embeddings: taken as they are in every layout.
    as_is: tuple[str, ...] = ()
    # Rotary halves that lie interleaved, row by row, with the entry of the metadata that says how
    # many heads there are.
    interleaved: Mapping[str, str] = msgspec.field(default_factory=dict)
    about: str = ""

    @cached_property
    def _rules(self) -> tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]:
        ordered = sorted(self.fields, key=lambda key: (-key.count("."), key))
        return tuple(
            (_pattern(key), (value,) if isinstance(value, str) else tuple(value))
            for key in ordered
            for value in (self.fields[key],)
        )

    def candidates(self, name: str) -> tuple[str, ...]:
        """What a field may be called in a source, the most likely first. `name` is dotted, as
        `layers.3.up.weight`; a `*` in it stays one."""
        found: list[str] = []
        for pattern, values in self._rules:
            match = pattern.match(name)
            if match is not None:
                found += [_filled(value, match.groups()) + name[match.end() :] for value in values]
                break
        else:
            found.append(name)
        return tuple(prefix + one for one in found for prefix in self.prefixes)

    def idle(self, names: Sequence[str]) -> list[str]:
        """The keys that none of these fields has or begins with."""
        return [key for key in self.fields if not any(map(_pattern(key).match, names))]

    def is_ignored(self, name: str) -> bool:
        return any(pattern.fullmatch(name) for pattern in self._ignored)

    @cached_property
    def _ignored(self) -> tuple[re.Pattern[str], ...]:
        return tuple(
            re.compile(f"{re.escape(prefix)}{_wild(one)}")
            for one in self.ignore
            for prefix in ({"", *self.prefixes})
        )

    def is_linear(self, name: str) -> bool:
        return not any(_pattern(one).match(name) for one in self.as_is)

    def heads_entry(self, name: str) -> str | None:
        """Where the metadata tell the number of heads of a field that lies interleaved."""
        return next(
            (entry for key, entry in self.interleaved.items() if _pattern(key).match(name)), None
        )


def names_of(rename: Names | Mapping[str, str | tuple[str, ...]] | None) -> Names:
    if isinstance(rename, Names):
        return rename
    if rename is None:
        return Names({})
    if not isinstance(rename, Mapping):
        raise TypeError(
            "rename takes a table, field by name in the source, or one of `tdsl.names`, not a"
            f" Python {type(rename).__name__}"
        )
    for key, value in rename.items():
        several = isinstance(value, Sequence) and all(isinstance(one, str) for one in value)
        if not isinstance(key, str) or not (isinstance(value, str) or several):
            raise TypeError(f"rename takes names for names, not {key!r}: {value!r}")
    return Names({k: v if isinstance(v, str) else tuple(v) for k, v in rename.items()})


def items_named(sought: str, names: Iterable[str]) -> set[int]:
    """The numbers that names in a source have in the place of the first `*`; of at most nine digits."""
    before, *more = sought.split("*")
    if len(more) == 1:  # without a pattern, which takes longer to make than to use
        (after,) = more
        items = (
            name[len(before) : len(name) - len(after)]
            for name in names
            if name.startswith(before) and name.endswith(after)
        )
        return {int(item) for item in items if len(item) <= 9 and item.isdecimal()}
    pattern = re.compile(re.escape(sought).replace(r"\*", r"(\d{1,9})") + r"\Z")
    return {int(match[1]) for match in map(pattern.match, names) if match is not None}


def _pattern(key: str) -> re.Pattern[str]:
    """A key of a table matches whole names and beginnings up to a dot."""
    return re.compile(re.escape(key).replace(r"\*", r"(\d+|\*)") + r"(?=\.|\Z)")


def _filled(value: str, numbers: Sequence[str]) -> str:
    parts = value.split("*")
    filled = [parts[0]]
    for number, part in zip([*numbers, *"*" * len(parts)], parts[1:], strict=False):
        filled += [number, part]
    return "".join(filled)


def _wild(text: str) -> str:
    return ".*".join(map(re.escape, text.split("*")))
