"""Spheres with the kernels of pages: raw and of unit diagonal, with their distances, decisions and reasons."""

import numpy as np
import pytest

from glassrank.core.checks import DataError
from glassrank.distillation.compare_distillers import compare_distillers
from glassrank.distillation.distill import distill
from glassrank.distillation.methods import NoRankingError
from glassrank.distillation.options import Options
from glassrank.distillation.page_kernels import kernel_parts, page_kernel
from glassrank.text.text_index import TITLE_WEIGHT
from glassrank.text.tokens import tokenise
from tests.distillation.small_web import ZEN, ZEN_LINKS, collection, zen
from tests.reference import page_kernels as twin
from tests.reference.sphere import best_weights, distances, radius_interval

KERNELS = [("unit", "unit"), ("raw", "unit"), ("raw", "raw")]
TRAINED = 4


def twin_parts(found, kernel, text_rows):
    """The two kernels of the candidates by the twin, from the whole collection."""
    documents = [tokenise(title) * TITLE_WEIGHT + tokenise(text) for title, text in ZEN.values()]
    row_of = {url: row for row, url in enumerate(ZEN)}
    links = [(row_of[source], row_of[target]) for source, target in ZEN_LINKS]
    parts = twin.kernel_parts(documents, links, kernel, text_rows)
    return [np.array(part)[np.ix_(found.pages, found.pages)] for part in parts]


def svdd(kernel, text_rows, text_weight=0.5, **options):
    return distill(
        zen(), "zen", "svdd", train_size=TRAINED, kernel=kernel, text_rows=text_rows, text_weight=text_weight, **options
    )


@pytest.mark.parametrize(("kernel", "text_rows"), KERNELS)
@pytest.mark.parametrize("text_weight", [0.0, 0.3, 1.0])
def test_the_kernel_equals_its_twin(kernel, text_rows, text_weight):
    found = distill(zen(), "zen", "bm25", candidates="base", random_state=0)
    options = Options(kernel=kernel, text_rows=text_rows, text_weight=text_weight)
    words, cited = twin_parts(found, kernel, text_rows)
    expected = text_weight * words + (1 - text_weight) * cited
    np.testing.assert_allclose(page_kernel(found.candidates, options), expected, atol=1e-12)


@pytest.mark.parametrize(("kernel", "text_rows"), KERNELS)
@pytest.mark.parametrize("C", [0.4, 1.0])
def test_distances_radius_and_decisions_equal_the_twins(kernel, text_rows, C):
    found = svdd(kernel, text_rows, 0.6, C=C, edges="all")
    words, cited = twin_parts(found, kernel, text_rows)
    K = 0.6 * words + 0.4 * cited
    alpha, _ = best_weights(K[:TRAINED, :TRAINED], C)
    squared = np.array(distances(K, np.append(alpha, np.zeros(len(K) - TRAINED))))
    low, high = radius_interval(K[:TRAINED, :TRAINED], alpha, C)
    np.testing.assert_allclose(found.judgement.distances**2, squared, rtol=1e-6)
    assert found.judgement.radius**2 == pytest.approx((low + high) / 2, rel=1e-6)
    assert found.pruned.tolist() == (squared > (low + high) / 2 * 1.0001).tolist()


def test_the_composite_kernel_of_the_twin_is_the_weighted_sum_of_its_parts():
    documents, links = [["zen", "tea"], ["zen"], ["car"]], [(0, 1), (2, 1), (0, 2)]
    words, cited = twin.kernel_parts(documents, links, "raw", "raw")
    assert cited == [[0.0, 0.0, 0.0], [0.0, 2.0, 1.0], [0.0, 1.0, 1.0]]
    assert words[0][1] == pytest.approx(np.log(3 / 2) ** 2)
    whole = twin.composite(documents, links, 0.25, "raw", "raw")
    assert whole[1][1] == pytest.approx(0.25 * np.log(3 / 2) ** 2 + 0.75 * 2)


@pytest.fixture(scope="module")
def popular():
    """Six pages with one word in common; the last is cited by twenty pages that cite nothing else."""
    pages = {f"http://{name}/": (name, f"zen {name} one two") for name in "abcdef"}
    pages |= {f"http://fan{n}/": (f"Fan {n}", "other") for n in range(20)}
    links = [(f"http://{one}/", f"http://{other}/") for one in "abcdef" for other in "abcdef" if one != other]
    links += [(f"http://fan{n}/", "http://f/") for n in range(20)]
    return collection(pages, links)


def test_a_raw_kernel_prunes_a_popular_page_and_gives_its_links_as_the_reason(popular):
    found = distill(popular, "zen", "svdd", train_size=5, kernel="raw")
    assert [page.title for page in found.pruned_pages] == ["f"]
    why = found.pruned_pages[0].topicality
    assert why.words_share < 0.1
    assert set(why.cited_apart) <= {f"Fan {n}" for n in range(20)}
    assert why.size > 2
    assert "links: linked from Fan" in str(found)
    assert "; length × " in str(found)


def test_in_a_unit_kernel_all_pages_have_the_same_length(popular):
    found = distill(popular, "zen", "svdd", train_size=4, kernel="unit", quantile=0.5)
    assert found.pruned_pages
    assert [page.topicality.size for page in found.pruned_pages] == pytest.approx([1.0] * len(found.pruned_pages))
    assert "length ×" not in str(found)


@pytest.mark.parametrize(("kernel", "text_rows"), KERNELS)
def test_the_share_of_the_words_is_their_part_of_the_squared_distance(kernel, text_rows):
    found = svdd(kernel, text_rows, 0.3, edges="all")
    alpha = found.judgement.alpha
    words, cited = (np.array(distances(K, alpha)) for K in twin_parts(found, kernel, text_rows))
    shares = 0.3 * words / (0.3 * words + 0.7 * cited)
    place = {int(row): k for k, row in enumerate(found.pages)}
    pages = {page.page: page for page in (*found.authorities, *found.hubs, *found.pruned_pages)}.values()
    assert len(pages) == len(found.pages)
    for page in pages:
        assert page.topicality.words_share == pytest.approx(shares[place[page.page]], rel=1e-6)


def test_raw_text_rows_make_long_pages_long():
    found = svdd("raw", "raw", 1.0, quantile=0.3)
    words, _ = twin_parts(found, "raw", "raw")
    lengths = np.sqrt(np.diagonal(words))
    place = {int(row): k for k, row in enumerate(found.pages)}
    for page in found.pruned_pages:
        expected = lengths[place[page.page]] / np.median(lengths[:TRAINED])
        assert page.topicality.size == pytest.approx(expected)
        assert page.topicality.words_share == 1.0
        assert page.topicality.cited_apart == ()


def test_words_that_lead_away_are_those_that_add_most_to_the_distance():
    """d² = Σ x (x − c) − Σ x c + ‖c‖², with raw rows too; words named as shared are left out."""
    found = svdd("raw", "raw", 1.0)
    documents = [tokenise(title) * TITLE_WEIGHT + tokenise(text) for title, text in ZEN.values()]
    rows = [twin.word_rows(documents, unit=False)[row] for row in found.pages]
    alpha = found.judgement.alpha
    words = {word for row in rows for word in row}
    topic = {word: sum(a * row.get(word, 0.0) for a, row in zip(alpha, rows, strict=True)) for word in words}
    for page in found.pruned_pages:
        own = rows[found.pages.tolist().index(page.page)]
        far = {word: own[word] * (own[word] - topic[word]) for word in set(own).difference(page.topicality.towards)}
        named = [far[word] for word in page.topicality.away]
        assert named == pytest.approx(sorted(far.values(), reverse=True)[: len(named)])


def test_a_comparison_passes_the_kernel_on():
    compared = compare_distillers(zen(), "zen", ["svdd", "hits"], kernel="raw", text_rows="raw", train_size=4)
    np.testing.assert_array_equal(compared.results["svdd"].judgement.distances, svdd("raw", "raw").judgement.distances)


def test_raw_text_rows_need_the_raw_kernel():
    with pytest.raises(DataError, match=r"text_rows='raw' is only for the kernel 'raw'.*Pass kernel='raw', or omit"):
        distill(zen(), "zen", "svdd", text_rows="raw")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"kernel": "rbf"}, "kernel must be one of 'unit', 'raw': got 'rbf'"),
        ({"kernel": "raw", "text_rows": "long"}, "text_rows must be one of 'unit', 'raw': got 'long'"),
    ],
)
def test_an_unknown_kernel_is_refused(given, message):
    with pytest.raises(DataError, match=message):
        distill(zen(), "zen", "svdd", **given)


def test_a_sphere_of_radius_0_is_an_error_and_a_comparison_continues_without_it():
    """Nothing links to the trained pages, so that with links alone they are one point of the raw kernel."""
    pages = {f"http://{name}/": (name, "zen " * (9 - n)) for n, name in enumerate("abcd")}
    web = collection(pages, [("http://a/", "http://d/"), ("http://b/", "http://d/")])
    given = {"kernel": "raw", "text_weight": 0.0, "train_size": 2}
    with pytest.raises(NoRankingError, match="The sphere has radius 0, because its 2 training pages cannot be"):
        distill(web, "zen", "svdd", widen=False, **given)
    compared = compare_distillers(web, "zen", ["svdd", "hits"], **given)
    assert list(compared.results) == ["hits"]
    assert "svdd gives no ranking. The sphere has radius 0" in str(compared)


def test_a_page_without_words_or_links_is_an_empty_row_of_a_raw_kernel():
    pages = {"http://a/": ("zen", "one"), "http://b/": ("zen", "two"), "http://c/": ("", "")}
    web = collection(pages, [("http://a/", "http://b/")])
    found = distill(web, "zen", "bm25", root=list(pages))
    for text_rows in ("unit", "raw"):
        words, cited = kernel_parts(found.candidates, Options(kernel="raw", text_rows=text_rows))
        assert words[2].tolist() == cited[2].tolist() == [0.0, 0.0, 0.0]
    words, cited = kernel_parts(found.candidates, Options())
    assert words[2].tolist() == cited[2].tolist() == [0.0, 0.0, 1.0]
