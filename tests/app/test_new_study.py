"""The form of a new study: what the study would refuse, it says before anything starts, and all of it at once."""

import re

import pandas as pd
import pytest
from fastapi.testclient import TestClient

from glassrank.app.security import Access
from glassrank.app.server import create_app
from glassrank.app.study_jobs import JobFiles
from tests.app.conftest import served
from tests.messy_shop import messy_shop

ROLES = {
    "suchwort": "query",
    "Artikelnummer": "document",
    "titel": "left out",
    "marke": "category",
    "Preis (€)": "feature",
    "verfügbar": "category",
    "seit": "left out",
    "leer": "left out",
    "note": "label",
    "verkäufe": "feature",
}


@pytest.fixture
def client(tmp_path):
    (tmp_path / "shop.csv").write_text(messy_shop())
    app = create_app(tmp_path, Access(port=80))
    with TestClient(app, base_url="http://127.0.0.1", follow_redirects=False) as one:
        one.folder, one.token = tmp_path, app.state.access.token
        yield one


def shown_roles(page):
    rows = re.findall(r'<select name="role:([^"]*)".*?<option value="([^"]*)" selected>', page, re.S)
    return dict(rows)


def sent(client, **fields):
    return client.post("/new", data={"file": "shop.csv", "token": client.token} | fields)


def of_roles(roles):
    return {f"role:{name}": role for name, role in roles.items()}


def command_of(folder):
    return JobFiles(folder).read().arguments(folder)


def faults(page):
    """What the page says about single columns, in their order."""
    found = re.findall(r'<tr><td><code>([^<]*)</code><p class="error">(.*?)</p>', page, re.S)
    return {name: re.sub(r"<br><button.*", "", said) for name, said in found}


def test_roles_are_guessed_by_name_and_content(client):
    page = client.get("/new", params={"file": "shop.csv"}).text
    assert shown_roles(page) == ROLES
    assert "guessed from its values" in page


def test_a_table_whose_columns_tell_nothing_asks_for_query_and_label(client):
    frame = pd.DataFrame({"a": [3.5, 1.0, 3.5, 2.0], "b": [0, 1, 1, 0], "c": [1, 0, 1, 1]})
    frame.to_csv(client.folder / "shop.csv", index=False)
    page = client.get("/new", params={"file": "shop.csv"}).text
    assert shown_roles(page) == dict.fromkeys("abc", "feature")
    for answer in (page, sent(client, **of_roles(dict.fromkeys("abc", "feature"))).text):
        assert "No column is the query. Choose the role “Query” for one, or tick “All rows are one list”." in answer
        assert "No column is the label. Choose the role “Label” for one." in answer
    assert JobFiles(client.folder / "shop").read() is None


def test_one_list_is_chosen_and_never_assumed(client):
    roles = of_roles({"note": "label"} | dict.fromkeys(("titel", "seit", "suchwort", "Artikelnummer"), "left out"))
    roles |= {"missing": "n/a"}
    assert sent(client, **roles).status_code == 422
    assert sent(client, **roles, one_query="1").status_code == 303
    assert "--one-query" in command_of(client.folder / "shop")
    JobFiles(client.folder / "shop").cancel()


def test_all_faults_of_a_file_are_on_one_page_with_line_and_remedy(client):
    frame = pd.read_csv(client.folder / "shop.csv", keep_default_na=False)
    frame["rabatt"], frame["gewicht"], frame["note"] = "5%", -1.0, 1
    frame.to_csv(client.folder / "shop.csv", index=False)
    roles = ROLES | {"titel": "feature", "rabatt": "feature", "gewicht": "weight", "seit": "query"}
    answer = sent(client, **of_roles(roles))
    said = faults(answer.text)
    assert answer.status_code == 422
    assert set(said) == {"titel", "Preis (€)", "rabatt", "gewicht", "note", "seit"}
    line = 2 + frame["Preis (€)"].tolist().index("n/a")
    assert said["Preis (€)"].startswith(f"Line {line}: column &#x27;Preis (€)&#x27; contains numbers and text")
    assert "173 of its 3,000 values are text" in said["Preis (€)"]
    assert said["rabatt"].startswith("Line 2: column &#x27;rabatt&#x27; contains numbers in another notation")
    assert "Leave it out: the role “Left out”, or make it a category with the role “Category”." in said["titel"]
    assert "must not be negative" in said["gewicht"]
    assert "Only one column can be the query" in said["seit"]
    assert "documents of different labels" in said["note"]
    assert "--" not in "".join(said.values())
    assert not (client.folder / "shop").exists()


def test_a_category_that_looks_like_a_name_starts_if_it_is_chosen(client):
    """The remedy of the page is followed to the word."""
    sent(client, **of_roles(ROLES | {"titel": "category"}), missing="n/a")
    command = command_of(client.folder / "shop")
    assert "titel" in command[command.index("--categorical") :]
    JobFiles(client.folder / "shop").cancel()


def test_one_click_treats_a_text_as_missing_and_the_numbers_stay_numbers(client):
    fields = of_roles(ROLES) | {"title": "Schuhe", "missing": "-"}
    answer = sent(client, **fields, treat_as_missing="n/a")
    assert answer.status_code == 200
    assert faults(answer.text) == {}
    assert shown_roles(answer.text) == ROLES
    assert re.search(r'<textarea id="missing"[^>]*>-\nn/a</textarea>', answer.text)
    assert 'value="Schuhe"' in answer.text
    assert not (client.folder / "Schuhe").exists()


def test_text_that_a_line_cannot_say_is_not_offered(client):
    frame = pd.DataFrame({"qid": [1, 1, 2, 2, 2], "label": [0, 1, 0, 1, 1], "a": ["1", " ", "2", "x\ny", "3"]})
    frame.to_csv(client.folder / "shop.csv", index=False)
    page = client.get("/new", params={"file": "shop.csv"}).text
    assert "contains numbers and text" in faults(page)["a"]
    assert "Treat as missing" not in page


def test_a_test_file_of_other_columns_is_said_before_the_start(client):
    frame = pd.read_csv(client.folder / "shop.csv", keep_default_na=False).drop(columns="marke")
    frame.to_csv(client.folder / "test.csv", index=False)
    answer = sent(client, **of_roles(ROLES), missing="n/a", test_file="test.csv")
    assert answer.status_code == 422
    assert "<br>test.csv: the role “Category” must name feature columns: got &#x27;marke&#x27;." in answer.text


def test_the_messy_file_goes_from_upload_to_a_running_study_without_a_failed_start(tab, tmp_path):
    (tmp_path / "shop.csv").write_text(messy_shop())
    (tmp_path / "app").mkdir()
    with served(tmp_path / "app") as site:
        tab.goto(f"{site}/new")
        tab.set_input_files("#upload", tmp_path / "shop.csv")
        tab.get_by_role("button", name="Read the file").click()
        tab.get_by_role("button", name="Treat as missing: 'n/a'").click()
        shown = tab.inner_text("#command")
        assert "--missing n/a" in shown
        tab.locator("#title").fill("Schuhe")  # now the script has written it
        assert tab.inner_text("#command") == f"{shown} --title Schuhe"
        tab.locator("#title").press("Enter")  # starts the study, and presses no button of a column
        tab.wait_for_url(f"{site}/")
    assert tab.complaints == []
    job = JobFiles(tmp_path / "app" / "schuhe")
    assert "n/a" in command_of(job.folder)
    job.cancel()


@pytest.mark.parametrize(("n_columns", "scrolls"), [(39, False), (40, True)])
def test_below_forty_columns_nothing_scrolls_inside_the_page(tab, tmp_path, n_columns, scrolls):
    names = ["qid", "label", *(f"f{k}" for k in range(n_columns - 2))]
    lines = [[query, row % 2, *range(n_columns - 2)] for query in range(3) for row in range(2)]
    pd.DataFrame(lines, columns=names).to_csv(tmp_path / "a.csv", index=False)
    with served(tmp_path) as site:
        tab.goto(f"{site}/new?file=a.csv")
        inside = tab.get_by_role("group", name="Columns")
        assert inside.evaluate("one => one.scrollHeight > one.clientHeight") == scrolls


def test_what_is_wrong_with_a_role_disappears_with_the_role(tab, tmp_path):
    (tmp_path / "shop.csv").write_text(messy_shop())
    with served(tmp_path) as site:
        tab.goto(f"{site}/new?file=shop.csv")
        said, role = tab.get_by_text("contains numbers and text"), tab.get_by_label("Preis (€) is the")
        role.select_option("left out")
        assert not said.is_visible()
        role.select_option("feature")
        assert said.is_visible()
