"""The twins of Lucene expressions and RankLib models, and a limit in the docs, agree with the real libraries."""

from zipfile import ZipFile

import numpy as np
import pytest

from tests.house.repository import ROOT
from tests.reference import lucene_expression, ranklib_model
from tools.engines.catalogue import ENGINES
from tools.engines.jars import fetch

pytestmark = pytest.mark.engine

VALUES = np.float32([0.0, -0.0, 1.0, 9.5, np.nextafter(np.float32(9.5), np.float32(0)), 1e-30, 1e30, -3.25, 0.1])
STUMP = """## LambdaMART
## a comment
<ensemble>
  <tree id="1" weight="1.0">
    <split>
      <feature> 2 </feature>
      <threshold> 9.5 </threshold>
      <split pos="left">
        <output> 0.4 </output>
      </split>
      <split pos="right">
        <output> -0.1 </output>
      </split>
    </split>
  </tree>
</ensemble>
"""


@pytest.mark.parametrize(
    "text",
    [
        "0.75*(a-4.1)/2.5 + (b < 9.5 ? 0.4 : (-0.1))",
        "a < 0.0 ? a*a : a <= 1.0 ? (-2.5)-a : 1.5e-7*a+b",
        "-a*b-(-1.5)--b",
        "((a+b)+(a-b))*max(0.0, a)/(1.0+abs(b))",
        "(a >= 0.1) + (b == 1.0) - (a != b)",
        "min(a, b) + sqrt(abs(a)) + .5 + 010",
    ],
)
def test_arithmetic_of_expressions_is_that_of_lucene_bit_for_bit(lucene, text):
    _, *names = lucene.load(text)
    rows = np.array([(a, b) for a in VALUES for b in VALUES])
    assert names == lucene_expression.variables(text) == ["a", "b"]
    expected = lucene_expression.evaluate(text, dict(zip(names, rows.T.astype(float), strict=True)))
    np.testing.assert_array_equal(lucene.scores(rows), expected)


@pytest.mark.parametrize(
    "text", ["exp(-a)", "1.0/(1.0+exp(-a))", "tanh(a)", "exp((-0.5)*(a-1.0)*(a-1.0))", "pow(a, 2.0)"]
)
def test_functions_of_expressions_differ_from_lucene_by_two_units_in_the_last_place(lucene, text):
    lucene.load(text)
    rows = np.linspace(-40, 40, 801)[:, None]
    expected = lucene_expression.evaluate(text, {"a": rows[:, 0]})
    np.testing.assert_array_max_ulp(lucene.scores(rows), expected, maxulp=2)


def test_a_leading_zero_makes_an_integer_octal(lucene):
    lucene.load("010 + 0.1 + a")
    assert lucene.scores([[0.0]]) == [8.1]


def test_a_number_that_is_too_large_becomes_infinity_without_an_error(lucene):
    lucene.load("1e400 + a")
    assert lucene.scores([[0.0]]) == [np.inf]


def test_a_variable_may_have_the_name_of_a_function(lucene):
    _, *names = lucene.load("exp + exp(1.0)")
    assert names == ["exp"]


def test_an_incomplete_expression_is_an_error(lucene):
    with pytest.raises(ValueError, match="unexpected end of expression"):
        lucene.load("a +")


def test_the_compiled_size_of_an_expression_is_known(lucene):
    # 6 bytes per variable, 3 per constant, 1 per operation, 15 per conditional, 1 to return.
    assert int(lucene.load("2.5*a+b")[0]) == 3 + 6 + 1 + 6 + 1 + 1
    assert int(lucene.load("a < 1.5 ? 2.5 : 3.5")[0]) == 6 + 3 + 15 + 3 + 3 + 1


def test_trees_of_ranklib_are_those_of_the_twin_bit_for_bit(rank_lib):
    rows = np.array([(0.0, b) for b in VALUES], dtype=np.float32)
    assert rank_lib.load(STUMP) == ["LambdaMART"]
    np.testing.assert_array_equal(rank_lib.scores(rows), ranklib_model.evaluate(STUMP, rows).astype(float))
    np.testing.assert_array_equal(rank_lib.scores([[0.0, 9.5], [0.0, 9.500001]]), np.float32([0.4, -0.1]).astype(float))


def test_ranklib_adds_trees_in_float32(rank_lib):
    tree = STUMP[STUMP.index("  <tree") : STUMP.index("</ensemble>")]
    text = (
        "## LambdaMART\n<ensemble>\n" + "".join(tree.replace("0.4", str(10.0**-k)) for k in range(9)) + "</ensemble>\n"
    )
    rank_lib.load(text)
    total = np.float32(0)
    for k in range(9):
        total += np.float32(10.0**-k)
    assert rank_lib.scores([[0.0, 0.0]]) == [float(total)]
    assert ranklib_model.evaluate(text, [[0.0, 0.0]]) == [total]


def test_a_linear_model_of_ranklib_is_evaluated_in_double(rank_lib):
    weights = [0.1, -1e-9, 3e7]
    text = "## Linear Regression\n0:0.3 " + " ".join(f"{k}:{weight!r}" for k, weight in enumerate(weights, 1)) + "\n"
    rows = np.float32([[1.0, 2.0, 3.0], [0.1, -7.5, 1e-8], [0.0, 0.0, 0.0]])
    rank_lib.load(text)
    expected = [0.3 + 0.1 * float(a) - 1e-9 * float(b) + 3e7 * float(c) for a, b, c in rows]
    np.testing.assert_array_equal(rank_lib.scores(rows), expected)
    np.testing.assert_array_equal(ranklib_model.evaluate(text, rows), expected)


def test_ranklib_reads_a_tree_only_with_one_element_per_line(rank_lib):
    with pytest.raises(ValueError, match="Error in Emsemble"):
        rank_lib.load(STUMP.replace("</feature>\n", "</feature> "))


def test_a_model_of_an_unknown_kind_is_an_error(rank_lib):
    with pytest.raises(ValueError, match="RANKER_TYPE"):
        rank_lib.load("## Ridge\n0:1 1:2\n")


def test_the_docs_state_the_limit_of_zookeeper(java_and_maven):
    """In a class file, the tag 3 begins a constant of four bytes."""
    (jar,) = fetch(ENGINES["solr"]).glob("zookeeper-jute-*.jar")
    with ZipFile(jar) as archive:
        compiled = archive.read("org/apache/jute/BinaryInputArchive.class")
    assert b"jute.maxbuffer" in compiled
    assert b"\x03" + (1_048_575).to_bytes(4, "big") in compiled
    page = (ROOT / "docs" / "how-to" / "export-to-solr.md").read_text(encoding="utf-8")
    assert "1,048,575 bytes" in page
    assert f"ZooKeeper\n{jar.stem.removeprefix('zookeeper-jute-')} of Solr" in page
