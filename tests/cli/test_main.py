"""The command as a whole: fast help, exit codes, errors on stderr in one line."""

import os
import signal
import subprocess
import time

import pytest

import glassrank
from glassrank.cli.inputs import FORMATS, TABLES
from glassrank.cli.main import COMMANDS, main
from glassrank.data.load_data import FORMATS as READ_FORMATS
from glassrank.data.tables import TABLE_FORMATS
from glassrank.metrics.conventions import CONVENTIONS as KNOWN_CONVENTIONS
from glassrank.studies.study_options import CONVENTIONS
from tests.cli import commands
from tests.house.repository import BIN, clean_environment

HELP = [[], ["data"], ["data", "info"], ["data", "convert"], ["data", "simulate"], ["compare"], ["demo"]]


@pytest.mark.parametrize("command", HELP, ids=" ".join)
def test_every_command_has_help(command, tmp_path):
    done = commands.glassrank(*command, "--help", folder=tmp_path)
    assert done.code == 0
    assert done.out.startswith(" ".join(["Usage: glassrank", *command]))
    assert commands.glassrank(*command, "-h", folder=tmp_path) == done


def test_help_loads_only_click(tmp_path):
    source = f"""
import sys
import time
from glassrank.cli.main import main
for command in {HELP!r}:
    main([*command, "--help"], standalone_mode=False)
main(["--version"], standalone_mode=False)
print(*{{name.split('.')[0] for name in sys.modules}}, file=sys.stderr)
"""
    done = commands.python(source, tmp_path)
    assert done.code == 0, done.err
    loaded = set(done.err.split())
    assert {"click", "glassrank"} <= loaded
    assert loaded & {"numpy", "scipy", "rich", "numba", "sklearn", "duckdb"} == set()


def test_the_list_of_commands_is_complete(tmp_path):
    listed = commands.glassrank("--help", folder=tmp_path).out.partition("Commands:\n")[2].splitlines()
    assert [line.split()[0] for line in listed] == sorted(COMMANDS)


@pytest.mark.parametrize("group", ["", "data", "distill", "intent"])
def test_a_list_of_commands_cuts_no_description(group, tmp_path):
    listed = commands.glassrank(*group.split(), "--help", folder=tmp_path).out.partition("Commands:")[2]
    assert listed.strip()
    assert "..." not in listed


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_in_the_module_that_the_table_names(name):
    command = main.get_command(None, name)
    assert command.name == name
    assert command.help


def test_the_version_is_that_of_the_package(tmp_path):
    done = commands.process("--version", folder=tmp_path)
    assert (done.code, done.out) == (0, f"glassrank {glassrank.__version__}\n")


def test_lists_repeated_for_help_match_the_library():
    assert tuple(READ_FORMATS) == FORMATS
    assert tuple(TABLE_FORMATS) == TABLES
    assert KNOWN_CONVENTIONS.keys() == {*CONVENTIONS, "trec"}


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["rnak"],
        ["--loud"],
        ["data"],
        ["data", "info"],
        ["data", "info", "x.csv", "--from", "excel"],
        ["data", "simulate", "x.csv", "--queries", "0"],
        ["data", "simulate", "x.csv", "--seed", "-1"],
        ["compare", "x.csv"],
    ],
    ids=" ".join,
)
def test_bad_usage_ends_with_2_and_a_message_on_stderr(arguments, tmp_path):
    done = commands.glassrank(*arguments, folder=tmp_path)
    assert done.code == 2
    assert done.out == ""
    assert "Usage: glassrank" in done.err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "arguments",
    [
        ["data", "info", "nowhere.csv"],
        ["data", "info", "."],
        ["data", "info", "words.csv"],
        ["data", "info", "words.txt"],
        ["data", "convert", "words.csv", "out.txt"],
        ["data", "simulate", "nowhere/out.csv"],
        ["compare", "words.csv", "a=words.txt"],
        ["compare", "--trec", "words.txt", "a=words.txt"],
    ],
    ids=" ".join,
)
def test_bad_data_ends_with_1_and_one_line_on_stderr(arguments, tmp_path):
    (tmp_path / "words.csv").write_text("no,such,columns\n1,2,3\n")
    (tmp_path / "words.txt").write_text("these are no data\n")
    done = commands.glassrank(*arguments, "--quiet", folder=tmp_path)
    assert done.code == 1
    assert done.out == ""
    assert done.err.startswith("Error: ")
    assert done.err.count("\n") == 1


def test_bad_data_ends_a_process_in_the_same_way(tmp_path):
    arguments = ["compare", "nowhere.csv", "a=nowhere.txt"]
    done = commands.process(*arguments, folder=tmp_path)
    assert done == commands.glassrank(*arguments, folder=tmp_path)
    assert (done.code, done.out) == (1, "")


def test_a_full_disk_is_reported_in_one_line(tmp_path):
    assert commands.glassrank("data", "simulate", "a.csv", "--queries", 2, "-q", folder=tmp_path).code == 0
    # Python keeps output in a buffer, and would write what is left of it at its end.
    for buffered in ("", "1"):
        for command in ("data info a.csv", "data info --help"):
            done = commands.shell(f"PYTHONUNBUFFERED={buffered} glassrank {command} > /dev/full", tmp_path)
            assert (done.code, done.err) == (1, "Error: No space left on device.\n")


def test_a_closed_pipe_causes_no_message(tmp_path):
    assert commands.glassrank("data", "simulate", "a.csv", "--queries", 2, "-q", folder=tmp_path).code == 0
    reader, writer = os.pipe()
    os.close(reader)
    command = [BIN / "glassrank", "data", "info", "a.csv"]
    done = subprocess.run(
        command, cwd=tmp_path, env=clean_environment(), stdout=writer, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, "")


def test_ctrl_c_ends_with_130_and_no_traceback(tmp_path):
    running = subprocess.Popen(
        [BIN / "glassrank", "demo", "--queries", "3000"],
        cwd=tmp_path,
        env=clean_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Shells make background jobs ignore Ctrl-C, and the tests may run as one.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert running.stderr.readline() == "Simulating documents and judgements …\n"
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert (running.returncode, out, err) == (130, "", "Interrupted.\n")


def test_a_terminated_command_leaves_no_temporary_files(tmp_path):
    (tmp_path / "results.csv").write_text("query_id,query,rank,url\n1,zen,1,http://zen.org/\n")
    (tmp_path / "intents.csv").write_text("query_id,label\n1,1\n")
    (tmp_path / "long.csv").write_text("query,action,url\n" + "zen,click,http://zen.org/\n" * 1_000_000)
    (tmp_path / "temporary").mkdir()
    running = subprocess.Popen(
        [
            BIN / "glassrank",
            "intent",
            "study",
            *("--results", "results.csv", "--clicks", "long.csv", "--intents", "intents.csv"),
        ],
        cwd=tmp_path,
        env={**clean_environment(), "TMPDIR": str(tmp_path / "temporary")},
        stderr=subprocess.DEVNULL,
    )
    while not list((tmp_path / "temporary").rglob("*.duckdb")):
        assert running.poll() is None
        time.sleep(0.01)
    running.send_signal(signal.SIGTERM)
    assert running.wait(timeout=60) == 143
    assert list((tmp_path / "temporary").iterdir()) == []
