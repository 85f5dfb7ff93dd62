"""The printed syntax tree."""

from __future__ import annotations

from tdsl.syntax.dump import dump
from tdsl.syntax.parser import parse
from tdsl.syntax.source import Source

TEXT = """\
tdsl 0.1

## Twice.
@inline
pub fn f[...S, static H = 2](x: f32[...S]) -> f32[...S] where H >= 2 {
    let (y, _) = g[K=H](-x[0:, newaxis, ...], z=true)
    y
}
"""

EXPECTED = """\
Module 1:1-9:1 edition=0.1
  items[0]: Function 4:1-8:2 public=True name=f
    docs[0]: 'Twice.'
    attributes[0]: Marker 4:1-4:8 name=inline
    parameters[0]: PackParameter 5:10-5:14 name=S
    parameters[1]: Parameter 5:16-5:28 name=H static=True
      default: Integer 5:27-5:28 value=2
    arguments[0]: Argument 5:30-5:42 name=x
      type: NamedType 5:33-5:42 name=f32
        arguments[0]: PackDimension 5:37-5:41 name=S
    result: NamedType 5:47-5:56 name=f32
      arguments[0]: PackDimension 5:51-5:55 name=S
    constraints[0]: Constraint 5:63-5:69 relation='>='
      left: Variable 5:63-5:64 name=H
      right: Integer 5:68-5:69 value=2
    body: Block 5:70-8:2
      statements[0]: Let 6:5-6:54
        pattern: SequencePattern 6:9-6:15 kind=tuple
          items[0]: NamePattern 6:10-6:11 name=y
          items[1]: IgnorePattern 6:13-6:14
        value: Call 6:18-6:54
          function: StaticArguments 6:18-6:24
            function: Variable 6:18-6:19 name=g
            arguments[0]: Keyword 6:20-6:23 name=K
              value: Variable 6:22-6:23 name=H
          positional[0]: Unary 6:25-6:45 operator='-'
            operand: Subscript 6:26-6:45
              value: Variable 6:26-6:27 name=x
              items[0]: SliceItem 6:28-6:30
                start: Integer 6:28-6:29 value=0
              items[1]: NewAxis 6:32-6:39
              items[2]: Ellipsis 6:41-6:44
          keywords[0]: Keyword 6:47-6:53 name=z
            value: Boolean 6:49-6:53 value=True
      statements[1]: ExpressionStatement 7:5-7:6
        value: Variable 7:5-7:6 name=y
"""


def test_dump() -> None:
    assert dump(parse(Source("t", TEXT))) == EXPECTED
