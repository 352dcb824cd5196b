"""The code on the pages runs and prints what they show, and their links lead somewhere."""

import ast
import doctest
import io
from contextlib import chdir, redirect_stdout
from functools import cache
from pathlib import Path

import pytest
import sklearn

import glassrank
from tests.cli.commands import typed
from tests.house.markdown import Block, anchors, code_blocks, commands, links, shows
from tests.house.repository import ROOT, pages, relative
from tests.quick_study import few_resamples, little_tuning_unless  # noqa: F401 - a fixture for all tests here

RUN = {"python", "pycon", "console"}
EXAMPLES = sorted((ROOT / "examples").rglob("*.py"))


@cache
def pages_on_engines() -> list[Path]:
    """Pages whose commands need a running Solr, which the tests of engines start and run."""
    consoles = {
        one: [block.text for block in code_blocks(one.read_text()) if block.language == "console"] for one in pages()
    }
    return [document for document, texts in consoles.items() if any("$SOLR" in text for text in texts)]


@pytest.mark.parametrize("document", [one for one in pages() if one not in pages_on_engines()], ids=relative)
def test_the_code_of_a_page_runs_from_top_to_bottom(document, tmp_path):
    """Each page has one namespace and one folder; commands for the reader's own machine are in ``sh`` blocks."""
    namespace, text = {"__name__": "page"}, document.read_text()
    # A page may change a setting of scikit-learn, which must not affect the next test.
    with chdir(tmp_path), sklearn.config_context(), little_tuning_unless(text):
        for block in code_blocks(text):
            if block.language in RUN:
                assert_runs_as_shown(block, document, namespace)


def test_every_link_inside_the_repository_leads_somewhere():
    found = [(document, link) for document in pages() for link in links(document.read_text())]
    assert [(relative(document), link) for document, link in found if not leads_somewhere(document, link)] == []


def test_every_block_has_a_known_language():
    """A block with a misspelt language would silently not run."""
    known = {*RUN, "text", "sh", "toml", "json", "sql", "make", "html", "csv"}
    blocks = [(relative(document), block) for document in pages() for block in code_blocks(document.read_text())]
    assert [(page, block.line, block.language) for page, block in blocks if block.language not in known] == []


@pytest.mark.parametrize("document", [*pages(), *EXAMPLES], ids=relative)
def test_documentation_imports_nothing_private(document):
    """Code that readers copy must not break when a module moves, so names come from ``glassrank`` itself."""
    text = document.read_text()
    code = [text] if document.suffix == ".py" else [python_of(block) for block in code_blocks(text)]
    assert [name for one in code for name in imported_from_glassrank(one) if name not in glassrank.__all__] == []


def python_of(block: Block) -> str:
    if block.language == "pycon" or block.text.lstrip().startswith(">>> "):
        return "".join(example.source for example in doctest.DocTestParser().get_examples(block.text))
    return block.text if block.language == "python" else ""


def imported_from_glassrank(code: str) -> list[str]:
    """Return what code imports from the package: public names, or modules by their path."""
    found = []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "glassrank":
            below = node.module.removeprefix("glassrank")
            found += [f"{below}.{one.name}".removeprefix(".") for one in node.names]
        elif isinstance(node, ast.Import):
            found += [one.name for one in node.names if one.name.startswith("glassrank.")]
    return found


def leads_somewhere(document: Path, link: str) -> bool:
    target, _, anchor = link.partition("#")
    if "://" in target or target.startswith("mailto:"):
        return True
    path = (document.parent / target).resolve() if target else document
    if not path.exists() or not path.is_relative_to(ROOT):
        return False
    # Anchors of the site are checked in test_site, in the built pages.
    return not anchor or document.parent != ROOT or anchor in anchors(path.read_text())


def assert_runs_as_shown(block: Block, page: Path, namespace: dict) -> None:
    place = f"{relative(page)}, line {block.line}"
    if block.language == "console":
        for command in commands(block.text):
            run_command(command.text, command.output, place)
    elif block.text.lstrip().startswith(">>> "):
        run_session(block.text, namespace, place)
    else:
        # The blank lines make a traceback show the page's own line numbers.
        code = compile("\n" * (block.line - 1) + block.text, str(page), "exec")
        with redirect_stdout(io.StringIO()) as printed:
            exec(code, namespace)
        if block.output is not None:
            assert shows(block.output, printed.getvalue()), f"{place} printed:\n{printed.getvalue()}"


def run_command(command: str, output: str, place: str) -> None:
    """Run a command of a page, inside this process if possible."""
    done = typed(command, Path.cwd())
    said = f"{place}: $ {command}\nexit code {done.code}\n{done.out}{done.err}"
    assert done.code == 0, said
    if output.strip():
        assert any(shows(output, actual) for actual in (done.out, done.err, done.out + done.err)), said


def run_session(text: str, namespace: dict, place: str) -> None:
    test = doctest.DocTestParser().get_doctest(text, namespace, place, place, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS, verbose=False)
    report = io.StringIO()
    runner.run(test, out=report.write, clear_globs=False)
    namespace.update(test.globs)
    assert runner.failures == 0, report.getvalue()
