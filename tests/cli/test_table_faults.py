"""All faults of a table in one message, with flags as remedies, before a command starts to work."""

import pytest

from tests.cli.commands import glassrank
from tests.messy_shop import messy_shop

ROLES = ["--query-column", "suchwort", "--label-column", "note", "--document-column", "Artikelnummer"]
FAULTY = "qid,label,price,discount,title,stock\n" + "".join(
    f"{row // 6},1,{'n/a' if row == 4 else '-' if row == 9 else row},{row % 7}%,shoe {row},{['yes', 'no'][row % 2]}\n"
    for row in range(30)
)


@pytest.mark.parametrize(
    "command", [("study", "a.csv"), ("train", "a.csv", "--output", "m.json"), ("data", "info", "a.csv")]
)
def test_all_faults_of_a_table_are_said_at_once(command, tmp_path):
    (tmp_path / "a.csv").write_text(FAULTY)
    found = glassrank(*command, folder=tmp_path)
    assert found.code == 1
    lines = found.err.splitlines()
    assert lines[0].startswith("Error: a.csv:6: column 'price' contains numbers and text, such as '0' and 'n/a'. 2 of")
    assert "use --missing - --missing n/a" in lines[0]
    assert lines[1].startswith("a.csv:2: column 'discount' contains numbers in another notation, such as '0%'.")
    assert lines[2].startswith("a.csv: Column 'title' looks like a name or a text")
    assert "--exclude title" in lines[2]
    constant = [line for line in lines if line.startswith("a.csv: Training data must have at least 1 query")]
    assert len(constant) == (command[0] == "study")
    assert {path.name for path in tmp_path.iterdir()} == {"a.csv"}


def test_following_every_remedy_leads_to_the_next_fault_only_if_there_is_one(tmp_path):
    (tmp_path / "a.csv").write_text(FAULTY)
    remedies = ["--missing", "-", "--missing", "n/a", "--categorical", "discount", "--exclude", "title"]
    assert glassrank("data", "info", "a.csv", *remedies, folder=tmp_path).code == 0
    found = glassrank("study", "a.csv", *remedies, folder=tmp_path)
    assert found.err.startswith("Error: Training data must have at least 1 query with documents of different labels")


def test_roles_that_are_not_there_and_faults_of_other_columns_are_said_together(tmp_path):
    (tmp_path / "shop.csv").write_text(messy_shop())
    found = glassrank("study", "shop.csv", folder=tmp_path)
    lines = found.err.splitlines()
    assert lines[0].startswith("Error: shop.csv: There are no columns 'qid', 'label': the columns are 'suchwort'")
    assert [line.split("'")[1] for line in lines[1:]] == ["Artikelnummer", "titel", "Preis (€)", "seit"]
    known = glassrank("study", "shop.csv", *ROLES, folder=tmp_path).err.splitlines()
    assert [line.split("'")[1] for line in known] == ["titel", "Preis (€)", "seit"]
