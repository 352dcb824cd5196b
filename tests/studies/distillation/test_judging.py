"""Judging: the pool is complete, judging is blind, and no answer is lost."""

from dataclasses import fields
from datetime import UTC, datetime

import pytest

import glassrank as gr
from glassrank.core.checks import DataError
from glassrank.distillation.distill import distill
from glassrank.studies.distillation import judgement_files
from glassrank.studies.distillation.judgement_files import read_judgements, who_path
from glassrank.studies.distillation.judging import Judging, PooledPage, pool_pages
from glassrank.studies.distillation.simulated_topics import simulate_topics
from glassrank.studies.distillation.steps import METHODS
from glassrank.studies.distillation.topics import Topic, document_name

OPTIONS = {"root_size": 20, "in_links": 3}
NOON = datetime(2030, 5, 6, 12, 0, tzinfo=UTC)


@pytest.fixture(scope="module")
def web():
    return simulate_topics(3, 30, 330, random_state=1)


@pytest.fixture(scope="module")
def pool(web):
    simulated, topics = web
    return pool_pages(simulated.collection, topics, depth=3, options=OPTIONS)


def three_pages():
    topic = Topic("zen", "zen buddhism")
    return [PooledPage(topic, page, document_name(f"page {page}.htm")) for page in range(3)]


def session(path, pages=None, judge="ann"):
    return Judging(three_pages() if pages is None else pages, path, judge, clock=lambda: NOON)


def test_judgements_of_other_topics_stay_in_the_file_and_are_named(tmp_path):
    gr.save_qrels(gr.Qrels(["cars", "zen"], ["a.htm", "page%200.htm"], [1, 2]), tmp_path / "judged.txt")
    one = session(tmp_path / "judged.txt")
    assert (one.judged_topics, one.n_judged) == (["cars", "zen"], 1)
    one.answer(0)
    assert gr.load_qrels(tmp_path / "judged.txt").qid.tolist() == ["cars", "zen", "zen"]


def test_the_pool_contains_the_first_pages_of_every_method_on_both_sets_once(web, pool):
    simulated, topics = web
    expected = set()
    for topic in topics:
        for candidates in ("root", "base"):
            for method in METHODS.values():
                try:
                    found = distill(
                        simulated.collection,
                        topic.query,
                        **method,
                        candidates=candidates,
                        random_state=0,
                        widen=False,
                        **OPTIONS,
                    )
                except DataError:
                    continue
                kept = [place for place in found.ranking if not found.pruned[place]]
                expected |= {(topic.name, int(found.pages[place])) for place in kept[:3]}
    assert sorted((one.topic.name, one.page) for one in pool) == sorted(expected)


def test_a_pooled_page_has_no_method_score_or_rank():
    assert {field.name for field in fields(PooledPage)} == {"topic", "page", "document"}


def test_the_seed_changes_only_the_order(web, pool):
    simulated, topics = web
    again, other = (
        pool_pages(simulated.collection, topics, depth=3, options=OPTIONS, random_state=seed) for seed in (0, 1)
    )
    assert [one.pair for one in again] == [one.pair for one in pool]
    assert [one.pair for one in other] != [one.pair for one in pool]
    assert {one.pair for one in other} == {one.pair for one in pool}


def test_a_pool_deeper_than_the_lists_is_refused(web):
    simulated, topics = web
    with pytest.raises(DataError, match="depth must be at most 50"):
        pool_pages(simulated.collection, topics, depth=51)


def test_every_answer_is_saved_at_once_as_trec_judgements_with_who_and_when(tmp_path):
    path = tmp_path / "judged.txt"
    judging_now = session(path)
    judging_now.answer(2)
    assert gr.load_qrels(path).doc_ids.tolist() == ["page%200.htm"]
    judging_now.answer(0)
    assert gr.load_qrels(path).labels.tolist() == [2, 0]
    assert who_path(path).read_text() == (
        "topic,document,label,judge,time\n"
        "zen,page%200.htm,2,ann,2030-05-06T12:00:00+00:00\n"
        "zen,page%201.htm,0,ann,2030-05-06T12:00:00+00:00\n"
    )


def test_another_session_resumes_and_keeps_earlier_judges(tmp_path):
    path = tmp_path / "judged.txt"
    session(path).answer(1)
    second = session(path, judge="bob")
    assert (second.n_judged, second.current.page) == (1, 1)
    second.answer(0)
    assert [one.judge for one in read_judgements(path).values()] == ["ann", "bob"]


def test_a_skipped_page_is_asked_in_the_next_session(tmp_path):
    path = tmp_path / "judged.txt"
    first = session(path)
    first.skip()
    first.answer(1)
    first.answer(1)
    assert first.current is None
    assert session(path).current.page == 0


def test_undo_reverts_answers_and_skips_one_by_one(tmp_path):
    path = tmp_path / "judged.txt"
    judging_now = session(path)
    judging_now.answer(1)
    judging_now.skip()
    judging_now.answer(2)
    assert judging_now.undo()
    assert judging_now.current.page == 2
    assert judging_now.undo()
    assert judging_now.current.page == 1
    assert gr.load_qrels(path).labels.tolist() == [1]
    assert judging_now.undo()
    assert not judging_now.undo()
    assert not path.exists()
    assert not who_path(path).exists()


def test_judgements_of_pages_outside_the_pool_stay(tmp_path):
    path = tmp_path / "judged.txt"
    path.write_text("cars 0 elsewhere.htm 1\n")
    judging_now = session(path)
    judging_now.answer(2)
    judging_now.undo()
    assert path.read_text() == "cars 0 elsewhere.htm 1\n"
    assert judging_now.n_judged == 0


def test_an_interruption_between_the_two_files_loses_nothing(tmp_path, monkeypatch):
    path = tmp_path / "judged.txt"
    session(path).answer(1)

    def stopped(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(judgement_files, "save_qrels", stopped)
        with pytest.raises(KeyboardInterrupt):
            session(path).answer(2)
    again = session(path)
    assert (again.n_judged, again.current.page) == (1, 1)


@pytest.mark.parametrize("label", [3, -1, "2"], ids=["three", "negative", "text"])
def test_an_unknown_label_is_refused(tmp_path, label):
    with pytest.raises(DataError, match="label must be one of 2, 1, 0"):
        session(tmp_path / "judged.txt").answer(label)


def test_answering_when_nothing_is_left_is_refused(tmp_path):
    with pytest.raises(DataError, match="No page is left to judge"):
        session(tmp_path / "judged.txt", pages=[]).answer(1)


def test_an_unrelated_file_beside_the_judgements_is_refused(tmp_path):
    path = tmp_path / "judged.txt"
    path.write_text("zen 0 a.htm 1\n")
    who_path(path).write_text("something,else\n")
    with pytest.raises(DataError, match="expected the columns topic, document, label, judge, time"):
        session(path)
