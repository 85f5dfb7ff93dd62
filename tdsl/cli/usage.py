"""Say what is wrong with a command line in the form of all other errors."""

from __future__ import annotations

import re
from typing import Any, Final

from tdsl.cli.output import WRONG_COMMAND, Output

# What the library of command lines says, and how it is said here.
_WORDINGS: Final = (
    (r"Invalid value for '?([^':]+)'?: ?(.*)", r"\1: \2"),
    (r"Value error, ", ""),
    (r"Input should be a valid integer.*", "an integer is needed"),
    (r"Input should be a valid number.*", "a number is needed"),
    (r"Input should be ", "it must be "),
    (r"No such option:? '?([^'\s]+)'?", r"there is no option \1"),
    (r"Missing (argument|option|parameter) '?([^'.]+)'?", r"\2 is missing"),
    (r"Got unexpected extra arguments?(?:\(s\))? \((.*)\)", r"there is no place for \1"),
    (r"Option '(.*)' requires an argument", r"\1 takes a value"),
)


def is_usage_error(error: Exception) -> bool:
    """Whether it is about the command line: the classes are the library's own business."""
    return hasattr(error, "format_message") and hasattr(error, "exit_code")


def report_usage(output: Output, error: Any) -> int:
    """Show it, and give the exit code. Where nothing at all was asked for, help is shown already."""
    text = str(error.format_message()).strip()
    if not text:
        return int(error.exit_code)
    text, _, near = text.partition("(Possible options:")
    text = text.strip().rstrip(".")
    for pattern, replacement in _WORDINGS:
        text = re.sub(pattern, replacement, text)
    options = [option for option in re.split(r"[,\s)]+", near) if option]
    command = getattr(getattr(error, "ctx", None), "command_path", "tdslc")
    hint = (
        f"did you mean {' or '.join(options)}?" if options else f"`{command} --help` shows it all"
    )
    output.error(text, hint)
    return WRONG_COMMAND
