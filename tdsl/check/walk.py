"""The parts of a typed expression."""

from __future__ import annotations

from tdsl.check import typed


def children(expression: typed.Expression) -> list[typed.Expression]:
    """The direct parts, in the order written."""
    match expression:
        case typed.Convert() | typed.Index() | typed.Item():
            return [expression.value]
        case typed.Apply():
            return [*expression.operands]
        case typed.CallFunction():
            return [*expression.arguments]
        case typed.MakeTuple() | typed.MakeList():
            return [*expression.items]
        case typed.Comprehension():
            return [expression.body]
        case typed.Sequence():
            statements: list[typed.Expression] = [
                statement.value if isinstance(statement, typed.Binding) else statement.condition
                for statement in expression.statements
            ]
            return [*statements, expression.value]
        case typed.MakeStruct():
            return [*expression.fields]
        case typed.FieldOf():
            return [expression.value]
        case typed.Zip():
            return [*expression.lists]
        case typed.Loop():
            iterated = [] if expression.iterated is None else [expression.iterated]
            return [expression.initial, *iterated, expression.body]
        case typed.Conditional():
            return [expression.condition, expression.then, expression.otherwise]
        case _:
            return []
