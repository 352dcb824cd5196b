"""What files contain is printed, never obeyed: terminals see no control signs, other programs see exact data."""

import ast
import os
import pty
import subprocess
from urllib.parse import unquote

import pytest

from glassrank.cli.console import progress_bar
from glassrank.core.wording import printable
from glassrank.data.load_data import load_data
from glassrank.modelfile.save_model import save_model
from glassrank.ranking.single_feature import BestSingleFeature
from tests.cli.commands import glassrank
from tests.house.repository import BIN, PACKAGE, clean_environment

ESCAPE = "\x1b[2J"  # clears a terminal
CLEAR = "d\x1b[2Ja"
SMALL = f"qid,doc_id,label,bm25\n7,{CLEAR},1,2.5\n7,b,0,1.5\n"


@pytest.fixture
def folder(tmp_path):
    """Documents of which one has a hostile id, and a model of them."""
    (tmp_path / "small.csv").write_text(SMALL)
    small = load_data(tmp_path / "small.csv")
    save_model(BestSingleFeature().fit(small.X, small.y), tmp_path / "m.json", feature_names=small.feature_names)
    return tmp_path


def on_a_terminal(*arguments, folder):
    """What a terminal receives of a command: its stdout and stderr."""
    ours, theirs = pty.openpty()
    done = subprocess.run(
        [BIN / "glassrank", *arguments], cwd=folder, env=clean_environment(), stdout=theirs, stderr=theirs, check=False
    )
    os.close(theirs)
    received = b""
    try:
        while piece := os.read(ours, 10_000):
            received += piece
    except OSError:
        pass  # how Linux says that the other end is closed
    os.close(ours)
    return done.returncode, received.decode()


def test_signs_that_a_terminal_obeys_are_shown_by_their_codes():
    assert printable("a\x1b[31m\x9b2J\x00\x7f\rb\ud800") == r"a\x1b[31m\x9b2J\x00\x7f\rb\ud800"
    assert printable("a\u202egnp\u200b\u2066\ufeff\U000e0041") == r"a\u202egnp\u200b\u2066\ufeff\U000e0041"
    assert printable("query\tzen 漢\néclair…") == "query\tzen 漢\néclair…"


@pytest.mark.parametrize(("layout", "shown"), [("trec", "d%1B[2Ja"), ("table", r"d\x1b[2Ja")])
def test_a_terminal_sees_no_control_signs_of_ids(layout, shown, folder):
    code, seen = on_a_terminal("rank", "m.json", "small.csv", "--format", layout, "--quiet", folder=folder)
    assert code == 0, seen
    assert shown in seen
    assert ESCAPE not in seen


def test_another_program_gets_the_ids_of_a_run_percent_encoded(folder):
    done = glassrank("rank", "m.json", "small.csv", "--format", "trec", folder=folder)
    assert (done.code, unquote(done.out.split()[2])) == (0, CLEAR)


@pytest.mark.parametrize(
    "arguments",
    [
        ("data", "info", f"{ESCAPE}.csv"),
        ("data", "info", "small.csv", "--query-column", ESCAPE),
        ("explain", "m.json", "small.csv", "--query", "7", "--document", ESCAPE, "--against", CLEAR),
        ("rank", "m.json", "small.csv", "--format", ESCAPE),
        ("rank", "m.json", "small.csv", ESCAPE),
        (ESCAPE,),
        ("rank", f"--{ESCAPE}"),
    ],
    ids=["file", "column", "document", "choice", "argument", "command", "option"],
)
def test_errors_show_control_signs_by_their_codes(arguments, folder):
    done = glassrank(*arguments, folder=folder)
    assert done.code in (1, 2)
    assert ESCAPE not in done.err + done.out
    assert "x1b[2J" in done.err


def test_a_table_for_readers_shows_control_signs_by_their_codes(folder):
    done = glassrank("rank", "m.json", "small.csv", "--format", "table", folder=folder)
    assert r"d\x1b[2Ja" in done.out


def test_square_brackets_in_progress_are_no_markup(monkeypatch, capsys):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with progress_bar() as progress:
        progress(0, None, f"topic [/b] {ESCAPE}")
    assert ESCAPE not in capsys.readouterr().err


def test_commands_print_through_one_place():
    """``show`` and ``note`` alone print: whatever else did would have to be trusted with every id."""
    for path in sorted((PACKAGE / "cli").glob("*.py")):
        if path.name == "console.py":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            name = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
            assert name not in ("print", "click.echo", "click.secho", "sys.stdout.write", "sys.stderr.write"), path
