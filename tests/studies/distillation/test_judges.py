"""Several judges: their files are separated, merged and compared, and nothing is dropped silently."""

import numpy as np
import pytest

import glassrank as gr
from glassrank.core.checks import DataError
from glassrank.data.collection import Collection, Links, Pages
from glassrank.data.trec import Qrels
from glassrank.studies.distillation.judge_results import results_by_judge, topics_agreement
from glassrank.studies.distillation.judges import Judges, load_judges
from glassrank.studies.distillation.topics import Topic, judge_topics
from tests.reference import judge_agreement as twin
from tests.report_pages import SCRIPT

ANN, BOB, EVE = (
    Qrels(["zen", "zen", "cars"], ["a.htm", "b.htm", "a.htm"], [2, 1, 0]),
    Qrels(["zen", "zen", "cars"], ["a.htm", "c.htm", "a.htm"], [0, 1, 0]),
    Qrels(["zen", "zen", "cars"], ["a.htm", "b.htm", "b.htm"], [2, 2, 1]),
)


@pytest.fixture(scope="module")
def web():
    pages = Pages(url=["a.htm", "b.htm", "c.htm"], title=["", "", ""], text=["", "", ""])
    return Collection(pages, Links(source=[], target=[], anchor=[]))


def write(folder, **judges):
    for name, qrels in judges.items():
        gr.save_qrels(qrels, folder / f"{name}.txt")
    return [folder / f"{name}.txt" for name in judges]


def who(path, *judges):
    rows = zip(gr.load_qrels(path).qid, gr.load_qrels(path).doc_ids, judges, strict=True)
    lines = [f"{topic},{document},0,{judge}," for topic, document, judge in rows]
    path.with_name(f"{path.name}.who.csv").write_text("\n".join(["topic,document,label,judge,time", *lines]) + "\n")


def by_name(judges):
    return {name: sorted(zip(own.qid, own.doc_ids, own.labels, strict=True)) for name, own in judges.by_name.items()}


def test_a_judge_without_a_name_is_named_after_the_file(tmp_path):
    found = load_judges(write(tmp_path, ann=ANN, bob=BOB))
    assert list(found.by_name) == ["ann", "bob"]
    assert by_name(found)["ann"] == sorted(zip(ANN.qid, ANN.doc_ids, ANN.labels, strict=True))


def test_names_beside_the_file_come_first_and_separate_its_judges(tmp_path):
    (path,) = write(tmp_path, shared=ANN)
    who(path, "ann", "bob", "ann")
    found = by_name(load_judges(path))
    assert {name: [page[:2] for page in pages] for name, pages in found.items()} == {
        "ann": [("cars", "a.htm"), ("zen", "a.htm")],
        "bob": [("zen", "b.htm")],
    }


def test_two_files_of_one_judge_are_joined_if_they_share_no_page(tmp_path):
    first, second = write(tmp_path, one=ANN, two=Qrels(["zen"], ["c.htm"], [1]))
    who(first, *["ann"] * 3)
    who(second, "ann")
    found = load_judges([first, second])
    assert list(found.by_name) == ["ann"]
    assert len(found.merged) == 4


def test_two_labels_of_one_judge_for_a_page_are_refused_and_names_help(tmp_path):
    first, second = write(tmp_path, one=ANN, two=BOB)
    for path in (first, second):
        who(path, *["judge"] * 3)
    with pytest.raises(DataError, match=r"Judge 'judge' has two judgements of page 'a.htm' for topic 'zen': in .*one"):
        load_judges([first, second])
    assert list(load_judges([("ann", first), ("bob", second)]).by_name) == ["ann", "bob"]


def test_a_file_given_twice_is_refused(tmp_path):
    (path,) = write(tmp_path, ann=ANN)
    with pytest.raises(DataError, match=r"ann.txt, which is given twice"):
        load_judges([path, path])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: load_judges([]), "paths must contain at least one file"),
        (lambda: Judges({}), "at least one person"),
        (lambda: load_judges("nowhere.txt"), "nowhere.txt"),
        (lambda: Topic("a", "zen", by_judge={"ann": [1.0]}), "labels of judges but no judgements"),
    ],
    ids=["none", "nobody", "absent", "not merged"],
)
def test_judges_without_judgements_are_refused(call, message):
    with pytest.raises(DataError, match=message):
        call()


def test_the_merged_label_is_the_median_and_the_lower_of_two():
    merged = Judges({"ann": ANN, "bob": BOB, "eve": EVE}).merged
    labels = {
        (topic, page): label for topic, page, label in zip(merged.qid, merged.doc_ids, merged.labels, strict=True)
    }
    assert labels == {
        ("zen", "a.htm"): 2,  # 2, 0, 2
        ("zen", "b.htm"): 1,  # 1, 2
        ("cars", "a.htm"): 0,  # 0, 0
        ("zen", "c.htm"): 1,
        ("cars", "b.htm"): 1,
    }


def test_agreement_counts_pages_of_topics_as_units():
    rows = [[2, 1, 0, None, None], [0, None, 0, 1, None], [2, 2, None, None, 1]]
    found = Judges({"ann": ANN, "bob": BOB, "eve": EVE}).agreement()
    assert (found.n_units, found.n_shared) == (5, 3)
    assert found.alpha == pytest.approx(twin.alpha(rows, "ordinal"))
    assert found.pairs[0].kappa == pytest.approx(twin.kappa(rows[0], rows[1]))


def test_topics_have_the_labels_of_each_judge_and_their_medians(web):
    judges = Judges({"ann": ANN, "bob": BOB, "eve": EVE})
    zen, cars, bees = judge_topics((Topic("zen", "zen"), Topic("cars", "cars"), Topic("bees", "bees")), judges, web)
    np.testing.assert_array_equal(zen.judgements, [2, 1, 1])
    np.testing.assert_array_equal(zen.by_judge["eve"], [2, 2, np.nan])
    np.testing.assert_array_equal(cars.judgements, [0, 1, np.nan])
    assert (bees.judgements, bees.by_judge) == (None, None)
    assert topics_agreement([zen, cars, bees]).alpha == pytest.approx(judges.agreement().alpha)


def test_the_judgements_of_one_person_have_no_agreement(web):
    (zen,) = judge_topics((Topic("zen", "zen"),), Judges({"ann": Qrels(["zen"], ["a.htm"], [1])}), web)
    assert list(zen.by_judge) == ["ann"]
    assert topics_agreement([zen]) is None
    assert results_by_judge([zen], [{"bm25": [0]}], 1, 1, 0) == ()
    (plain,) = judge_topics((Topic("zen", "zen"),), Qrels(["zen"], ["a.htm"], [1]), web)
    assert plain.by_judge is None


def test_an_unknown_page_of_any_judge_is_refused(web):
    judges = Judges({"ann": ANN, "bob": Qrels(["zen"], ["elsewhere.htm"], [1])})
    with pytest.raises(DataError, match="1 judgement names a page that the collection does not have"):
        judge_topics((Topic("zen", "zen"), Topic("cars", "cars")), judges, web)


def test_precision_by_judge_uses_the_labels_of_that_judge_alone():
    labels = {"ann": [2.0, 0.0, np.nan], "bob": [0.0, 2.0, np.nan]}
    topics = [Topic(name, name, [0.0, 0.0, np.nan], labels) for name in ("zen", "cars")]
    lists = [{"bm25": [0, 2], "hits": [1, 0]}] * 2
    ann, bob = results_by_judge(topics, lists, 1, 2, 0)
    assert [ann.comparison[name].mean for name in ("bm25", "hits")] == [1.0, 0.0]
    assert [bob.comparison[name].mean for name in ("bm25", "hits")] == [0.0, 1.0]
    assert (ann.n_topics, ann.n_pages, ann.judged) == (2, 4, 1.0)
    assert results_by_judge(topics, lists, 2, 2, 0)[0].judged == 0.5


def test_a_judge_with_one_topic_has_no_comparison():
    both = Topic("zen", "zen", [2.0, 0.0], {"ann": [2.0, 0.0], "bob": [2.0, 0.0]})
    one = Topic("cars", "cars", [2.0, 0.0], {"ann": [2.0, 0.0]})
    ann, bob = results_by_judge([both, one], [{"bm25": [0], "hits": [1]}] * 2, 1, 1, 0)
    assert ann.comparison is not None
    assert (bob.comparison, bob.n_topics) == (None, 1)


def test_hostile_names_stay_names(tmp_path):
    (path,) = write(tmp_path, shared=ANN)
    names = [SCRIPT.replace(",", ""), "x" * 300, "😀"]
    who(path, *names)
    assert list(load_judges(path).by_name) == names
