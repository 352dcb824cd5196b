"""The pages of the source documents show all of their tables and figures, and name commands that exist."""

import re

import pytest

from experiments.papers.__main__ import run_paper, summary
from experiments.papers.catalogue import PAPERS
from experiments.papers.pages import marks, write_into, write_page
from experiments.papers.paper import Item, Paper, Part, Shown
from experiments.papers.run import ABSENT, REAL, SIMULATED, run_part, state_of
from glassrank.cli.main import main as cli
from tests.house.repository import DOCS, ROOT

# Tables and figures as the documents number them, and the analyses that they name.
NUMBERED = {
    "ranking-nomograms": {"Table 1", "Figure 1", "Figure 2", "Figure 3", "Figure 4"},
    "navigational-queries": {"Table 1", "Table 2", "Table 3", "Table 4", "Figure 1", "Figure 2", "Figure 3"},
    "pairwise-transform": {"Figure 1", "Figure 2", "Figure 3", "Figure 4"},
    "svdd": {"Radius", "Pruned set", "Irrelevant pages", "Computing time", "Closeness to HITS"},
    "elmrank": {"Equations 1 to 6", "Recommendation", "Drug discovery"},
}
BY_NAME = {paper.name: paper for paper in PAPERS}


@pytest.mark.parametrize("name", NUMBERED)
def test_the_catalogue_lists_what_the_document_shows(name):
    assert NUMBERED[name] <= {item.name for item in BY_NAME[name].items}


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.name)
def test_every_table_and_figure_has_a_section_on_the_page(paper):
    headings = re.findall(r"^## (.+)$", page_of(paper), re.M)
    items = [f"{item.name}: {item.subject}" for item in paper.items]
    assert [heading for heading in headings if heading in items] == items


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.name)
def test_the_page_shows_the_result_of_every_part_for_every_item(paper):
    assert set(marks(page_of(paper))) == {(part.name, item) for part in paper.parts for item in part.items}


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.name)
def test_no_result_on_the_page_is_empty(paper):
    results = re.findall(r"<!-- result: (\S+ \S+) -->(.*?)<!-- end -->", page_of(paper), re.S)
    assert [mark for mark, text in results if not text.strip()] == []


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.name)
def test_the_page_cites_the_document_in_full(paper):
    words = " ".join(page_of(paper).replace("*", "").split())
    assert paper.citation in words


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.name)
def test_every_command_on_the_page_exists(paper):
    blocks = re.findall(r"^```sh\n(.*?)^```", page_of(paper), re.M | re.S)
    lines = [line for block in blocks for line in block.splitlines()] + [part.typed() for part in paper.parts]
    assert [line for line in lines if not exists(line)] == []


@pytest.mark.parametrize("line", ["python examples/none.py out", "glassrank distil find", "glassrank study --flods 3"])
def test_a_command_that_does_not_exist_is_found(line):
    assert not exists(line)


def test_every_part_makes_items_of_its_paper():
    known = {(paper.name, item.key) for paper in PAPERS for item in paper.items}
    assert {(paper.name, key) for paper in PAPERS for part in paper.parts for key in part.items} <= known


def test_no_picture_is_left_over():
    shown = {name for paper in PAPERS for name in re.findall(r"pictures/papers/([\w.-]+)", page_of(paper))}
    assert {path.name for path in (DOCS / "pictures" / "papers").iterdir()} == shown


def test_a_part_without_its_data_is_simulated_or_absent(tmp_path):
    needs = toy_part(data="set/file.txt")
    assert state_of(needs, None) == state_of(needs, tmp_path) == ABSENT
    assert state_of(toy_part(data="set/file.txt", simulates=True), tmp_path) == SIMULATED
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "file.txt").touch()
    assert state_of(needs, tmp_path) == REAL
    assert state_of(toy_part(), None) == REAL


def test_a_run_writes_the_page_names_absent_data_and_resumes(tmp_path):
    paper = Paper(
        "toy",
        "Toy",
        "A. Author: Toy.",
        (Item("Table 1", "what is printed"), Item("Figure 9", "without data")),
        (toy_part(), toy_part(name="lost", items=("figure-9",), data="none/such.txt")),
    )
    outcomes = run_paper(paper, tmp_path, None)
    assert [one.line for one in outcomes] == ["1 line", "absent: data none/such.txt not found in GLASSRANK_DATA"]
    assert "absent: data none/such.txt" in summary(outcomes)
    html = write_page(paper, outcomes, tmp_path).read_text()
    assert "<td>hello</td>" in html
    assert "Absent: data none/such.txt" in html
    said: list[str] = []
    again = run_part(paper.parts[0], tmp_path / "toy" / "printed", None, said.append)
    assert said == ["printed: finished earlier, kept"]
    assert again == outcomes[0].done


def test_a_failed_part_is_not_kept(tmp_path):
    part = toy_part(code="raise SystemExit(3)")
    said: list[str] = []
    first, second = (run_part(part, tmp_path, None, said.append) for _ in range(2))
    assert first.state == second.state == "failed"
    assert "exit code 3" in first.reason
    assert not any("kept" in line for line in said)


def test_results_are_written_between_their_marks(tmp_path):
    paper = Paper("toy", "Toy", "", (Item("Table 1", "what is printed"),), (toy_part(),))
    outcomes = run_paper(paper, tmp_path, None)
    page = tmp_path / "toy.md"
    page.write_text(
        "Before\n<!-- result: printed table-1 -->\nold\n<!-- end -->\nAfter <!-- result: x y -->\n<!-- end -->\n"
    )
    assert write_into(page, outcomes, tmp_path) == ["x y"]
    text = page.read_text()
    assert "old" not in text
    assert text.startswith("Before\n<!-- result: printed table-1 -->\n\n| word |")
    assert text.endswith("<!-- end -->\nAfter <!-- result: x y -->\n<!-- end -->\n")


def toy_part(name="printed", items=("table-1",), code="print('hello')", data=None, simulates=False) -> Part:
    def show(folder):
        word = (folder / "output.txt").read_text().strip()
        return {"table-1": Shown("1 line", f"| word |\n| --- |\n| {word} |")}

    return Part(name, ("python", "-c", code), items, show, data, simulates)


def page_of(paper: Paper) -> str:
    return (DOCS / "papers" / f"{paper.name}.md").read_text(encoding="utf-8")


def exists(line: str) -> bool:
    """Whether the script, the module or the command with all its options exists."""
    words = line.split()
    words = words[1:] if words[0].startswith("GLASSRANK_DATA=") else words
    if words[:2] == ["make", "papers"]:
        return True
    if words[:2] == ["python", "-m"]:
        path = ROOT / words[2].replace(".", "/")
        return path.with_suffix(".py").is_file() or (path / "__main__.py").is_file()
    if words[0] == "python":
        return (ROOT / words[1]).is_file()
    return words[0] == "glassrank" and has_command(words[1:])


def has_command(words: list[str]) -> bool:
    command, context = cli, None
    while hasattr(command, "get_command") and words and not words[0].startswith("-"):
        command = command.get_command(context, words[0])
        words = words[1:]
    if command is None or hasattr(command, "get_command"):
        return False
    known = {option for parameter in command.params for option in parameter.opts}
    return {word for word in words if word.startswith("-")} <= known
