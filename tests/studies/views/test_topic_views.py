"""Views of a topic: the lists are those of distill, reasons those of the command line, judgements its files."""

import pytest

import glassrank as gr
from glassrank.core.checks import DataError
from glassrank.studies.distillation.judging import PooledPage
from glassrank.studies.distillation.topics import Topic
from glassrank.studies.views.topic_judging import (
    give_label,
    judged_topics,
    judgement_file,
    judges_view,
    pages_to_judge,
)
from glassrank.studies.views.topic_views import METHODS, compare_topic, methods_view, snippet, topic_view
from tests.distillation.small_web import zen

QUERY = "zen"


@pytest.fixture(scope="module")
def web():
    return zen()


@pytest.fixture(scope="module")
def compared(web):
    return compare_topic(web, QUERY)


@pytest.fixture
def pool(web):
    return [PooledPage(Topic("zen", QUERY), row, web.pages.url[row]) for row in (3, 0, 4)]


@pytest.mark.parametrize("method", METHODS)
def test_the_lists_are_those_of_distill(web, compared, method):
    own = gr.distill(web, QUERY, method, random_state=0)
    found, lists = topic_view(compared, method), methods_view(compared)
    assert [page.page for page in found.authorities] == [page.page for page in own.authorities]
    assert [page.page for page in lists.tops[method]] == [page.page for page in own.authorities]
    assert [page.page for page in found.hubs] == [page.page for page in own.hubs]
    assert found.n_pruned == own.pruned.sum()
    scores = [f"{page.score:.3f}" for page in own.authorities if not page.filled]
    assert [page.score for page in found.authorities][: len(scores)] == scores


def test_pages_outside_the_sphere_are_pruned_with_their_distance(compared):
    found = topic_view(compared, "svdd")
    assert found.pruned_by == "Distance in radii"
    assert found.n_pruned == len(found.pruned) > 0
    assert all(float(page.score.removesuffix(" R")) > 1 for page in found.pruned)
    assert all(page.reason for page in found.pruned)


def test_a_method_without_a_ranking_is_named_and_has_no_lists():
    pages = gr.Pages(url=["http://a.org/", "http://b.org/"], title=["", "B"], text=["zen", "zen zen"])
    alone = gr.Collection(pages, gr.Links(source=[], target=[], anchor=[]))
    found = methods_view(compare_topic(alone, QUERY))
    assert list(found.tops) == ["bm25"]
    assert {page.title for page in found.tops["bm25"]} == {"http://a.org/", "B"}
    assert set(found.failed) == set(METHODS) - {"bm25"}
    with pytest.raises(DataError, match="method must be one of 'bm25'"):
        topic_view(compare_topic(alone, QUERY), "svdd")


def test_a_snippet_begins_near_the_first_word_of_the_query():
    text = "cars " * 100 + "a temple of Zen\n monks" + " cars" * 100
    assert snippet(text, '"zen monks" buddhism').startswith("… cars cars")
    assert "a temple of Zen monks cars" in snippet(text, "zen")
    assert snippet("日本の禅寺", "禅") == "日本の禅寺"
    assert snippet("", "zen") == ""
    # A whole word is preferred to the same letters inside an earlier one.
    assert "an art fair" in snippet("start " * 100 + "an art fair", "art")


def test_labels_are_saved_changed_and_deleted_in_files_of_the_command_line(web, pool, tmp_path):
    folder = tmp_path / "judgements"
    give_label(pool, folder, "Ann  Lee", pool[0].document, 2)
    give_label(pool, folder, "Ann Lee", pool[1].document, 0)
    give_label(pool, folder, "Ann Lee", pool[0].document, 1)
    file = judgement_file(folder, "Ann Lee")
    qrels = gr.load_qrels(file)
    assert dict(zip(qrels.doc_ids.tolist(), qrels.labels.tolist(), strict=True)) == {
        "http://d.org/guide": 1,
        "http://a.org/zen": 0,
    }
    assert "Ann Lee" in file.with_name("Ann-Lee.txt.who.csv").read_text()
    assert [page.label for page in pages_to_judge(web, pool, folder, "Ann Lee")] == [1, 0, None]
    assert [topic.query for topic in judged_topics(folder)] == [QUERY]
    give_label(pool, folder, "Ann Lee", pool[0].document, None)
    assert [page.label for page in pages_to_judge(web, pool, folder, "Ann Lee")] == [None, 0, None]


def test_agreement_is_that_of_the_labels_and_the_largest_differences_come_first(pool, tmp_path):
    """By hand: of three pages one label is equal, and p_e = (1·1 + 1·1 + 1·1) / 9, so κ = (1/3 − 1/3) / (2/3) = 0."""
    for judge, labels in {"ann": (2, 1, 0), "bob": (0, 1, 2)}.items():
        for page, label in zip(pool, labels, strict=True):
            give_label(pool, tmp_path, judge, page.document, label)
    found = judges_view(tmp_path)
    (pair,) = found.agreement.pairs
    assert (pair.n_shared, pair.equal, pair.kappa) == (3, pytest.approx(1 / 3), pytest.approx(0))
    assert [one.labels for one in found.disputed] == [{"ann": 2, "bob": 0}, {"ann": 0, "bob": 2}]
    assert [one.merged for one in found.disputed] == [0, 0]
    assert found.agreement.alpha == pytest.approx(gr.judge_agreement({"a": [2, 1, 0], "b": [0, 1, 2]}).alpha)


@pytest.mark.parametrize("name", ["", "../..", "...", "\n", "x" * 61])
def test_a_judge_needs_a_name_that_makes_a_file(name, tmp_path):
    with pytest.raises(DataError, match="judge must be a name with letters or digits"):
        judgement_file(tmp_path, name)


def test_two_names_do_not_share_a_file(pool, tmp_path):
    give_label(pool, tmp_path, "Ann Lee", pool[0].document, 2)
    with pytest.raises(DataError, match="contains the judgements of Ann Lee, not of 'Ann-Lee'"):
        give_label(pool, tmp_path, "Ann-Lee", pool[0].document, 0)


def test_a_page_outside_the_pool_and_an_unknown_label_are_refused(pool, tmp_path):
    with pytest.raises(DataError, match="There is no page 'x'"):
        give_label(pool, tmp_path, "ann", "x", 1)
    with pytest.raises(DataError, match="label must be one of"):
        give_label(pool, tmp_path, "ann", pool[0].document, 3)
    assert judges_view(tmp_path) is None
