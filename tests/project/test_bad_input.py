"""Any text given to the command line ends in a diagnostic with a position, or works."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tdsl.check.modules import check_source
from tdsl.syntax.source import Source

HEAD = "tdsl 0.1\nfn f[N](x: f32[N]) -> f32[N] {"
TEXTS = {
    "3,000 nested parentheses": HEAD + " " + "(" * 3000 + "x" + ")" * 3000 + " }\n",
    "3,000 open parentheses": HEAD + "(" * 3000,
    "5,000 terms": HEAD + " " + " + ".join(["x"] * 5000) + " }\n",
    "5,000 powers": HEAD + " " + " ** ".join(["x"] * 5000) + " }\n",
    "5,000 minus signs": HEAD + " " + "-" * 5000 + "x }\n",
    "5,000 lets": HEAD
    + "\nlet y0 = x\n"
    + "".join(f"let y{i + 1} = y{i} + 1.0\n" for i in range(5000))
    + "y5000 }\n",
    "5,000 subscripts": HEAD + " x" + "[0:N]" * 5000 + " }\n",
    "5,000 nested ifs": HEAD + " if true { " * 5000,
    "a huge number": HEAD + " x * " + "9" * 5000 + " }\n",
    "a huge exponent": HEAD + " x * 2 ** 99999999 ** 9 }\n",
    "a huge power of a size": HEAD + " x * (N + 1) ** 100000 }\n",
    "a product of long sums": HEAD + " x * " + "*".join(["(N+1)"] * 100) + " }\n",
    "NULs": HEAD + "\0\0 x }\n",
    "only NULs": "\0" * 100,
    "carriage returns": (HEAD + "\nx\n}\n").replace("\n", "\r\n"),
    "lone carriage returns": (HEAD + "\nx\n}\n").replace("\n", "\r"),
    "tabs": HEAD + "\n\t\tx\t+\tx\n\t}\n",
    "a byte order mark": "\ufeff" + HEAD + " x }\n",
    "no newline at the end": HEAD + " x }",
    "nothing": "",
    "only a comment": "# nothing",
    "an unclosed string": 'tdsl 0.1\ntest "a {\n',
    "other letters": HEAD + " größe + 数 }\n",
    "surrogates": HEAD + " \ud800 }\n",
    "a deep type": "tdsl 0.1\nfn f(x: " + "[" * 2000 + "f32" + "; 1]" * 2000 + ") -> f32 { x }\n",
    "a deep pattern": HEAD + " let " + "(" * 2000 + "a" + ",)" * 2000 + " = x\nx }\n",
}
FINE = {
    *("carriage returns", "tabs", "a byte order mark", "no newline at the end", "5,000 lets"),
    *("3,000 nested parentheses", "a product of long sums", "nothing", "only a comment"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_hard_text_gives_a_result_or_a_position(name: str) -> None:
    result = check_source(Source("hard.tdsl", TEXTS[name]), None)
    errors = [d for d in result.diagnostics if d.severity == "error"]
    for diagnostic in errors:
        assert 0 <= diagnostic.span.start <= diagnostic.span.end <= len(TEXTS[name])
    assert bool(errors) == (name not in FINE)
    assert (result.program is None) == bool(errors)


@pytest.mark.parametrize(
    "data",
    [bytes(range(256)), b"\xff\xfe\x00", b"tdsl 0.1\n\xc3\x28", b"\x00" * 64, b"\xef\xbb\xbf"],
)
def test_bytes_that_are_no_text_end_with_exit_code_1(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "bytes.tdsl"
    path.write_bytes(data + b"?")
    done = subprocess.run(
        [sys.executable, "-m", "tdsl.cli.main", "check", str(path)],
        capture_output=True,
        check=False,
    )
    output = (done.stdout + done.stderr).decode(errors="replace")
    assert done.returncode == 1, output
    assert re.search(r"bytes\.tdsl:\d+:\d+", output)
    assert "Traceback" not in output


WORDS = st.sampled_from(
    [
        "fn",
        "let",
        "where",
        "[",
        "]",
        "(",
        ")",
        "{",
        "}",
        "->",
        ":",
        ",",
        ".",
        "..",
        "...",
        "+",
        "-",
        "*",
        "/",
        "//",
        "%",
        "**",
        "@",
        "==",
        "<",
        "x",
        "y",
        "N",
        "f32",
        "f64",
        "[N]",
        "0",
        "1",
        "2.5",
        "-1",
        "sum",
        "max",
        "reshape",
        "transpose",
        "axis",
        "=",
        "softmax",
        "if",
        "else",
        "for",
        "in",
        "fold",
        "scan",
        "static",
        "newaxis",
        "true",
        "inf",
        "\n",
    ]
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.one_of(st.text(max_size=200), st.lists(WORDS, max_size=60).map(" ".join)))
def test_random_text_never_raises(text: str) -> None:
    for whole in (text, f"{HEAD}\n{text}\n}}\n"):
        for diagnostic in check_source(Source("random.tdsl", whole), None).diagnostics:
            for label in diagnostic.labels:
                assert 0 <= label.span.start <= label.span.end <= len(label.span.source.text)
