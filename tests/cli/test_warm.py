"""Kernels are compiled once: the first use says so in one line, and ``glassrank warm`` does it ahead."""

import shlex

import pytest

from tests.cli.commands import Finished, glassrank, shell
from tests.house.repository import BIN

LINE = (
    "Compiling kernels that glassrank uses for the first time, which can take half a minute. They are cached; "
    "`glassrank warm` compiles all of them ahead.\n"
)
# Expected reciprocal rank uses a kernel that is compiled in about a second.
EVALUATE = "import glassrank as gr; print(gr.evaluate([1, 0], [0.2, 0.1], qid=[1, 1], measures=['err@2'])['err@2'])"
COMPARE = "glassrank compare two.csv a=one.txt b=one.txt --measure err@2"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "two.csv").write_text("qid,label,bm25\n1,1,0.5\n1,0,0.1\n2,1,0.5\n2,0,0.1\n")
    (tmp_path / "one.txt").write_text("2\n1\n2\n1\n")
    return tmp_path


def run(line, folder, cache) -> Finished:
    """Run a line of shell with a folder for compiled kernels, which a fresh installation does not have yet."""
    return shell(f"export NUMBA_CACHE_DIR={cache}; {line}", folder)


def python(source) -> str:
    return f"{BIN / 'python'} -c {shlex.quote(source)}"


def test_the_first_use_in_python_says_once_that_it_compiles_and_so_does_the_first_after_an_upgrade(folder):
    first, second = (run(python(EVALUATE), folder, "cache") for _ in range(2))
    assert (first.code, first.err) == (0, LINE)
    assert (second.code, second.err, second.out) == (0, "", first.out)
    # numba compiles again, and its index of the kernel is older than the source.
    upgraded = run(f"rm cache/*/*.nbc; touch -d 1990-01-01 cache/*/*.nbi; {python(EVALUATE)}", folder, "cache")
    assert (upgraded.code, upgraded.err, upgraded.out) == (0, LINE, first.out)


def test_a_program_decides_about_the_line_by_the_logger_of_the_package(folder):
    silenced = f"import logging; logging.getLogger('glassrank').setLevel('ERROR'); {EVALUATE}"
    done = run(python(silenced), folder, "cache")
    assert (done.code, done.err) == (0, "")


def test_a_command_says_it_on_stderr_unless_it_is_quiet(folder):
    loud, quiet = run(COMPARE, folder, "loud"), run(f"{COMPARE} --quiet", folder, "quiet")
    assert (loud.code, loud.err) == (0, LINE)
    assert (quiet.code, quiet.err, quiet.out) == (0, "", loud.out)


def test_what_is_compiled_ahead_needs_no_line(folder):
    """One of the jobs of the command, which are the same for all but take a minute together."""
    ahead = (
        "from glassrank.studies.compile_kernels import JOBS, compile_kernels; "
        "compile_kernels(print, {'measures': JOBS['measures']})"
    )
    done = run(python(ahead), folder, "cache")
    assert (done.code, done.out, done.err) == (0, "1 1 measures compiled.\n", "")
    assert run(COMPARE, folder, "cache").err == ""


def test_warm_is_a_command_without_arguments(tmp_path):
    assert "Compile all kernels now" in glassrank("warm", "--help", folder=tmp_path).out
    done = glassrank("warm", "everything", folder=tmp_path)
    assert (done.code, "unexpected extra argument" in done.err) == (2, True)
