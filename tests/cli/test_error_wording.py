"""Bad input of every command: the message names the command's own options and no Python arguments."""

import re

import click
import pytest

from glassrank.cli.console import PlainCommand
from glassrank.cli.error_wording import in_options
from glassrank.cli.main import main
from glassrank.core.checks import DataError
from glassrank.core.setting import setting
from glassrank.data.ranking_data import RankingData
from glassrank.modelfile.save_model import save_model
from glassrank.ranking.elm_rank import ELMRank
from glassrank.ranking.rank_svm import RankSVM
from tests.cli.commands import Finished, glassrank, process
from tests.house.error_sites import ARGUMENT

ROWS = [("q1", 1, 0.5), ("q1", 0, 0.1), ("q2", 1, 0.4), ("q2", 0, 0.3)]
MANY = [(f"q{query}", label, query + label) for query in range(6) for label in (0, 1)]
RESULTS = "query_id,query,rank,url\nq1,zen,1,http://zen.org/\nq2,how to sit,1,http://sit.org/\n"
LABELLED = ["--results", "results.csv", "--intents", "intents.csv"]
FILES = {
    "good.csv": "qid,label,bm25\n" + "".join(f"{q},{y},{x}\n" for q, y, x in ROWS),
    "many.csv": "qid,label,bm25\n" + "".join(f"{q},{y},{x}\n" for q, y, x in MANY),
    "tied.csv": "qid,label,bm25\nq1,1,0.5\nq1,0,0.5\n",
    "semicolons.csv": "qid;label;bm25\nq1;1;0.5\n",
    "tabs.csv": "qid\tlabel\tbm25\nq1\t1\t0.5\n",
    "other.csv": "session,label,bm25\nq1,1,0.5\n",
    "unlabelled.csv": "qid,bm25\nq1,0.5\nq1,0.1\n",
    "words.csv": "qid,label,bm25,size\nq1,1,0.5,large\nq1,0,0.5,40\n",
    "weighted.csv": "qid,label,weight,bm25\n1,1,2,0.5\n1,0,1,0.1\n",
    "strange.dat": "1,2,3\n",
    "negative.csv": "qid,label,bm25\nq1,-1,0.5\nq1,1,0.1\nq2,1,0.5\nq2,0,0.1\n",
    "negatives.csv": "qid,label,bm25\n" + "".join(f"{q},{-y},{x}\n" for q, y, x in MANY),
    "compounds.csv": "id,set,label,mass\na,train,-1.5,2\nb,train,4,1\nc,test,2.5,3\n",
    "spaces.csv": "qid label bm25\nq1 1 0.5\n",
    "ratings.csv": "user,item,rating\nu,a,1\nu,b,2\nv,a,3\nv,b,1\n",
    "again.csv": "user,item,rating\nu,a,1\nu,a,2\n",
    "good.txt": "1 qid:1 1:0.5\n0 qid:1 1:0.1\n",
    "unqueried.txt": "1 qid:1 1:0.5\n0 1:0.1\n",
    "scores.txt": "1\n2\n3\n4\n",
    "ties.txt": "1\n1\n1\n1\n",
    "run.txt": "q1 Q0 d1 1 0.5 tag\nq1 Q0 d2 2 0.5 tag\n",
    "broken.json": "{",
    "queries.txt": "zen\n",
    "triples.txt": "a b 1\n",
    "pair.txt": "a b\n",
    "scores.csv": "from,to\na,b\n",
    "nothing.txt": "",
    # Two pages about zen on one site, and one page about something else on another
    "pages/pages.csv": "url,title,text\nhttp://a.org/,Zen,zen\nhttp://a.org/b,Zen,zen zen\nhttp://b.org/,Rome,rome\n",
    "pages/links.csv": "source,target,anchor\nhttp://a.org/,http://a.org/b,zen\nhttp://b.org/,http://a.org/,x\n",
    "cut/pages.csv": "url;title;text\nhttp://a.org/;Zen;zen\n",
    "cut/links.csv": "source,target,anchor\n",
    "html/a.html": "<p>zen</p>",
    "results.csv": RESULTS,
    "semicolon-results.csv": RESULTS.replace(",", ";"),
    "faulty.csv": RESULTS + ",no identifier,1,http://a.org/\n",
    "intents.csv": "query_id,label\nq1,navigational\nq2,informational\n",
    "three-kinds.csv": "query_id,label\nq1,navigational\nq2,transactional\n",
    "one-kind.csv": "query_id,label\nq1,navigational\nq2,navigational\n",
    "unmatched.csv": "query_id,label\nq1,navigational\nq2,informational\nq9,informational\n",
    "semicolon-intents.csv": "query_id;label\nq1;navigational\n",
    "log.csv": "query,action,url\nzen,hover,http://zen.org/\nzen,click,http://zen.org/\n",
    "days.csv": "query,action,url,time\nzen,click,http://zen.org/,31/12/2006 23:59\n",
    "searches.csv": "query,action,url\nzen,search,\n",
    "users.csv": "query,action,url,user\nzen,click,http://zen.org/,\nzen,click,http://zen.org/,me\n",
    "columns.csv": "words,what,where\nzen,click,http://zen.org/\n",
    "ratings-quepid.csv": "query,docid,rating\nzen,1,1\nzen,2,0\n",
    "unequal.csv": "query,docid,rating\nzen,a,1\nzen,a,0\n",
    "grades.csv": "text,doc,grade\nzen,a,1\n",
    "solr.json": '{"responseHeader": {"params": {"q": "zen"}}, "response": {"docs": [{"id": 1, "[features]": "x=1"}]}}',
    "no-query.json": '{"response": {"docs": [{"id": "a", "[features]": "x=1.0"}]}}',
    "no-id.json": '{"responseHeader": {"params": {"q": "zen"}}, "response": {"docs": [{"sku": "a"}]}}',
    "no-features.json": '{"responseHeader": {"params": {"q": "zen"}}, "response": {"docs": [{"id": "a"}]}}',
    "changing.json": '{"responseHeader": {"params": {"q": "zen"}}, "response": {"docs": [{"id": "a", "[features]": '
    '"x=1.0"}, {"id": "b", "[features]": "y=1.0"}]}}',
    "hits.json": '{"query": "zen", "response": {"hits": {"hits": []}}}',
    "store.json": '[{"name": "x"}]',
    "events.csv": "query_id,action_name,timestamp,event_attributes.object.object_id\n1,click,2024-05-01T12:00:00Z,x\n",
}

LOG = ["data", "log-features", "--engine", "solr", "--features", "shop", "--judgements", "ratings-quepid.csv"]
# Values of options that are written with an equals sign, and the parts of a measure such as map(rel=2)
NAMED_VALUE = re.compile(r"--(log-column|result-column|action) [\w=]+|\[\((rel|p|gains)=[^)]*\)\]")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wording")
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    (folder / "latin.csv").write_bytes("query,action,url\ncafé,click,http://a.org/\n".encode("cp1252"))
    queries, labels, values = zip(*ROWS, strict=True)
    data = RankingData([[value] for value in values], labels, queries, feature_names=["bm25"])
    save_model(RankSVM().fit(data.X, data.y, qid=data.qid), folder / "model.json", feature_names=["bm25"])
    save_model(
        RankSVM(kernel="lrbf", mode="difference").fit(data.X, data.y, qid=data.qid),
        folder / "pairs.json",
        feature_names=["bm25"],
    )
    save_model(ELMRank(3, random_state=0).fit(data), folder / "mixed.json")
    return folder


ZEN = ["distill", "pages", "--query", "zen", "--store", "kept"]
EXPLAIN = ["explain", "model.json"]
LIKE = ["--output", "t.json", "--like"]
PAIR = ["--query", "q1", "--document", "0"]
CASES = {
    # Commands that read ranking data
    "data info, a semicolon": (["data", "info", "semicolons.csv"], ["delimiter looks like ';'", "commas or tabs"]),
    "data info, tabs": (["data", "info", "tabs.csv"], [r"delimiter looks like '\t'", "--from tsv"]),
    "data info, no query": (["data", "info", "other.csv"], ["no column 'qid'", "--query-column", "--feature"]),
    "data info, no labels": (["data", "info", "unlabelled.csv"], ["--label-column", "glassrank rank"]),
    "data info, a text": (
        ["data", "info", "words.csv"],
        ["words.csv:2: column 'size'", "--missing large", "--categorical size", "--exclude size"],
    ),
    "data info, an excluded column": (
        ["data", "info", "good.csv", "--exclude", "age"],
        ["--exclude must name columns"],
    ),
    "data info, no format": (["data", "info", "strange.dat"], ["unknown format", "--from"]),
    "data info, no file": (["data", "info", "absent.csv"], ["absent.csv: there is no such file"]),
    "data info, group sizes": (["data", "info", "unqueried.txt"], ["unqueried.txt:2:3", "--from lightgbm"]),
    "data info, spaces": (["data", "info", "spaces.csv"], ["delimiter looks like ' '", "commas or tabs"]),
    "data info, one list": (
        ["data", "info", "compounds.csv"],
        ["no column 'qid'", "one list of documents, use --one-query"],
    ),
    "data info, no part": (
        ["data", "info", "compounds.csv", "--one-query", "--split-column", "set"],
        ["--part must be a value of the column 'set', one of 'test', 'train'"],
    ),
    "data info, a pattern": (["data", "info", "good.csv", "--feature", "S_*"], ["--feature has no column for 'S_*'"]),
    "data info, parts of nothing": (
        ["data", "info", "good.csv", "--part", "train"],
        ["--part 'train' has no effect", "Name the column: --split-column"],
    ),
    "data ratings, no features": (
        ["data", "ratings", "ratings.csv", "o.csv"],
        ["one of --items and --reference-users"],
    ),
    "data ratings, few users": (
        ["data", "ratings", "ratings.csv", "o.csv", "--reference-users", 2],
        ["--reference-users must be between 1 and 1"],
    ),
    "data ratings, a column": (
        ["data", "ratings", "ratings.csv", "o.csv", "--reference-users", 1, "--user-column", "who"],
        ["--user-column must be a column of the ratings"],
    ),
    "data ratings, a user": (
        ["data", "ratings", "ratings.csv", "o.csv", "--reference-user", "u", "--for-user", "u"],
        ["--for-user must be users with different ratings"],
    ),
    "data ratings, columns of items": (
        ["data", "ratings", "ratings.csv", "o.csv", "--reference-user", "u", "--exclude", "x"],
        ["--exclude selects columns", "Leave it out, or give the table: --items"],
    ),
    "data ratings, two ratings": (
        ["data", "ratings", "again.csv", "o.csv", "--reference-users", 1],
        ["again.csv:3: user 'u' has already rated item 'a'"],
    ),
    "data convert, weights": (["data", "convert", "weighted.csv", "w.txt"], ["w.txt: LETOR", "--drop-weights"]),
    "data convert, names": (["data", "convert", "good.csv", "g.txt"], ["g.txt: LETOR", "--number-queries"]),
    "data join, no format": (
        ["data", "join", "queries.txt", "solr.json", "j.csv"],
        ["Set --judgement-format to one of"],
    ),
    "data join, unequal grades": (
        ["data", "join", "unequal.csv", "solr.json", "j.csv"],
        ["unequal.csv:3: document 'a' has the grade 0", "choose a rule, such as --conflict median"],
    ),
    "data join, a column": (
        ["data", "join", "grades.csv", "solr.json", "j.csv"],
        ["need one column 'query'", "Name it: --query-column."],
    ),
    "data join, a column of another format": (
        ["data", "join", "ratings-quepid.csv", "solr.json", "j.csv", "--grade-column", "x"],
        ["--grade-column names a column of a table", "read them as a table: --judgement-format csv"],
    ),
    "data join, texts of queries": (
        ["data", "join", "ratings-quepid.csv", "solr.json", "j.csv", "--queries", "queries.txt"],
        ["--queries gives the texts of queries in TREC qrels"],
    ),
    "data join, no query": (
        ["data", "join", "ratings-quepid.csv", "no-query.json", "j.csv"],
        ["Solr's request: --query-parameter", "after their queries: --query-from-name"],
    ),
    "data join, no identifier": (["data", "join", "ratings-quepid.csv", "no-id.json", "j.csv"], ["--document-field"]),
    "data join, no features": (["data", "join", "ratings-quepid.csv", "no-features.json", "j.csv"], ["--log-field"]),
    "data join, changing features": (
        ["data", "join", "ratings-quepid.csv", "changing.json", "j.csv"],
        ["use --sparse"],
    ),
    "data join, a store": (
        ["data", "join", "ratings-quepid.csv", "solr.json", "j.csv", "--feature-store", "store.json"],
        ["--feature-store gives the defaults", "Use --sparse, or omit it"],
    ),
    "data join, a sparse log of another engine": (
        ["data", "join", "ratings-quepid.csv", "hits.json", "j.csv", "--sparse"],
        ["--sparse is for Solr", "--fill 0"],
    ),
    "data join, a value": (
        ["data", "join", "ratings-quepid.csv", "solr.json", "j.csv", "--fill", "inf"],
        ["--fill must be 'keep' or a finite number"],
    ),
    "data join, names of queries": (
        ["data", "join", "ratings-quepid.csv", "solr.json", "j.txt"],
        ["j.txt: LETOR", "--number-queries"],
    ),
    "data log-features, an address": (
        [*LOG, "localhost:1", "l.jsonl"],
        ["URL must be an address that begins with http://"],
    ),
    "data log-features, no engine": ([*LOG, "http://127.0.0.1:1", "l.jsonl"], ["the engine cannot be reached"]),
    "data log-features, a field": (
        [*LOG, "http://127.0.0.1:1", "l.jsonl", "--document-field", "a b"],
        ["--document-field must be a name of letters"],
    ),
    "data log-features, the text": (
        [*LOG, "http://127.0.0.1:1", "l.jsonl", "--parameter", "text=x"],
        ["--parameter must not contain 'text'", "Choose another --text-parameter"],
    ),
    "data simulate-web, few hosts": (
        ["data", "simulate-web", "s.warc", "--topics", 9, "--hosts", 9],
        ["--hosts must be at least"],
    ),
    "data simulate-web, few topics": (
        ["data", "simulate-web", "s.warc", "--topics", 2, "--languages", 3],
        ["--languages must be at most the number of topics: expected 2 or fewer, got 3."],
    ),
    "data simulate-web, few pages": (
        ["data", "simulate-web", "s.warc", "--topics", 9, "--pages", 20],
        ["--pages must be at least"],
    ),
    "study, a semicolon": (["study", "semicolons.csv"], ["delimiter looks like ';'"]),
    "study, few documents": (["study", "tied.csv"], ["at least 6 documents", "got 2 and 1", "Add judged documents"]),
    "study, folds of pairs of several queries": (
        ["study", "many.csv", "--folds", "pair"],
        ["Folds of pairs are for a single query: got 6 queries", "--query q0", "--folds query"],
    ),
    "study, folds of one query": (
        ["study", "tied.csv", "--folds", "query"],
        ["--folds query needs at least 2 queries", "use --folds document"],
    ),
    "study, folds of pairs and test data": (
        ["study", "tied.csv", "--folds", "pair", "--test", "many.csv"],
        ["--folds pair measures on held-out pairs", "Leave out the test data, or leave out --folds."],
    ),
    "study, a measure of pairs": (
        ["study", "many.csv", "--query", "q0", "--folds", "pair", "--measure", "map"],
        ["only --measure pair_accuracy measures: got map"],
    ),
    "study, gamma of straight lines": (
        ["study", "many.csv", "--gamma", "2"],
        ["--gamma has no effect without --kernel"],
    ),
    "study, a unit without C": (["study", "many.csv", "--C-unit", "pair"], ["--C-unit has no effect without --C"]),
    "study, a transform of differences": (
        ["study", "many.csv", "--mode", "difference", "--transform", "log"],
        ["--mode difference compares documents by x_A − x_B", "--transform standard", "--mode utility"],
    ),
    "study, directions of differences": (
        ["study", "many.csv", "--mode", "difference", "--monotone", "bm25=1"],
        ["--monotone has no effect without --mode utility"],
    ),
    "study, an unknown query": (["study", "many.csv", "--query", "q9"], ["There is no query q9"]),
    "study, negative labels": (
        ["study", "negatives.csv"],
        ["does not define a gain for negative labels", "use --measure pair_accuracy, which needs no gains"],
    ),
    "study, no part": (
        ["study", "compounds.csv", "--one-query", "--split-column", "set", "--part", "first"],
        ["--part must be a value of the column 'set'"],
    ),
    "study, a measure": (["study", "good.csv", "--measure", "fame"], ["--measure must be one of"]),
    "study, the same queries": (
        ["study", "many.csv", "--test", "many.csv"],
        ["The test data share 6 queries with the training data"],
    ),
    "select, no query": (["select", "other.csv"], ["--query-column"]),
    "select, one query": (["select", "tied.csv"], []),
    "rank, no query": (["rank", "model.json", "other.csv"], ["--query-column"]),
    "rank, no feature": (["rank", "model.json", "good.txt"], ["good.txt: The data must contain the model's features"]),
    "rank, no model": (["rank", "broken.json", "good.csv"], ["broken.json"]),
    "train, a semicolon": (["train", "semicolons.csv", "--output", "t.json"], ["delimiter looks like ';'"]),
    "train, no query": (["train", "other.csv", "--output", "t.json"], ["--query-column"]),
    "train, two queries": (["train", "good.csv", "--output", "t.json"], ["need 3 queries", "lower --folds"]),
    "train, a measure": (
        ["train", "many.csv", "--output", "t.json", "--model", "rank-svm-cv", "--measure", "fame"],
        ["must be one of ndcg"],
    ),
    "train, few classes": (
        ["train", "good.csv", "--output", "t.json", "--model", "additive-svc"],
        ["3 folds need 3 rows", "Lower --folds"],
    ),
    "train, no folder": (["train", "good.csv", "--output", "absent/t.json"], ["absent does not exist"]),
    "train --like, two queries": (
        ["train", "good.csv", *LIKE, "model.json"],
        ["3 folds need at least 3 queries: got 2", "lower --folds"],
    ),
    "train --like, a model of pairs": (
        ["train", "many.csv", *LIKE, "pairs.json"],
        ["A surrogate imitates scores: RankSVM only compares two documents"],
    ),
    "train --like, comparisons of pairs": (
        ["train", "many.csv", *LIKE, "model.json", "--mode", "difference"],
        ["A surrogate gives scores: this RankSVM only compares two documents", "Fit it with --mode utility."],
    ),
    "train --like, no order": (["train", "tied.csv", *LIKE, "model.json"], ["there is no order to imitate"]),
    "train --like, no model": (["train", "many.csv", *LIKE, "scores.txt"], ["scores.txt: expected a LightGBM text"]),
    "train --like, a damaged model": (["train", "many.csv", *LIKE, "broken.json"], ["broken.json: expected the JSON"]),
    "train --like, no feature": (
        ["train", "good.txt", *LIKE, "model.json"],
        ["good.txt: The data must contain the model's features", "name them with --feature-names"],
    ),
    "train --like, no label": (
        ["train", "unlabelled.csv", *LIKE, "model.json", "--label-column", "grade"],
        ["no column 'grade'", "--label-column"],
    ),
    "nomogram, no feature": (["nomogram", "model.json", "good.txt", "--output", "n.svg"], ["the model's features"]),
    "nomogram, mixed features": (
        ["nomogram", "mixed.json", "good.csv", "--output", "n.svg"],
        ["ELMRank with --nodes full", "glassrank train --nodes additive", "glassrank train --kernel lrbf"],
    ),
    "explain, no labels to calibrate": (
        [*EXPLAIN, "good.csv", *PAIR, "--against", "1", "--calibrate", "unlabelled.csv"],
        ["--label-column"],
    ),
    "export, a model of pairs": (
        ["export", "pairs.json", "--format", "python", "--output", "exported"],
        ["glassrank train --mode utility"],
    ),
    "export, an error that cannot be kept": (
        ["export", "mixed.json", "--format", "python", "--output", "exported", "--max-error", "1e-300"],
        ["Raise --max-error", "--alpha (glassrank train)"],
    ),
    "explain, a model of pairs": (["explain", "pairs.json", "good.csv", *PAIR], ["Set --against to the other one"]),
    "explain, mixed features": (
        ["explain", "mixed.json", "good.csv", *PAIR],
        ["ELMRank with --nodes full", "glassrank train --nodes additive", "glassrank train --kernel lrbf"],
    ),
    "explain, one document": (
        [*EXPLAIN, "good.csv", *PAIR, "--against", "0"],
        ["--document and --against must differ"],
    ),
    "explain, a query": ([*EXPLAIN, "good.csv", "--query", "q9", "--document", "0", "--against", "1"], ["q9"]),
    "explain, a document": ([*EXPLAIN, "good.csv", *PAIR, "--against", "7"], ["got 7"]),
    "compare, a label": (
        ["compare", "negative.csv", "a=scores.txt", "b=scores.txt"],
        ["negative labels", "--convention trec"],
    ),
    "compare, few scores": (["compare", "tied.csv", "a=scores.txt"], ["expected one score per row"]),
    "compare, no run": (["compare", "--trec", "nothing.txt", "a=run.txt"], ["nothing.txt: the file is empty"]),
    "compare, ties": (
        ["compare", "good.csv", "a=scores.txt", "b=ties.txt", "--convention", "trec"],
        ["--document-column"],
    ),
    # Pages
    "distill, one site": ([*ZEN, "--method", "hits", "--no-widen"], ["is inside a site", "--edges all", "--site page"]),
    "distill, no word": ([*ZEN[:3], "tao", *ZEN[4:]], ["the query 'tao'", "--root"]),
    "distill, an empty query": ([*ZEN[:3], "", *ZEN[4:]], ["--query must"]),
    "distill, a column": ([*ZEN, "--site", "column"], ["--site column needs"]),
    "distill, tables and selectors": ([*ZEN, "--drop", "p"], ["--drop is for HTML", "Omit it, or open the HTML."]),
    "distill, trusted pages": (
        [*ZEN, "--method", "svdd", "--edges", "all", "--train-size", 9],
        ["--train-size must be at most 2"],
    ),
    "distill, a price": (
        [*ZEN, "--method", "svdd", "--edges", "all", "--C", "0.001"],
        ["--C must be at least", "--nu"],
    ),
    "distill, an unused option": ([*ZEN, "--nu", "0.2"], ["--nu is only for the method svdd", "omit --nu"]),
    "distill, a built collection": (
        ["distill", "kept", "--query", "zen", "--leave-out", "a*"],
        ["--leave-out cannot be applied"],
    ),
    "distill, a semicolon": (["distill", "cut", "--query", "zen"], ["delimiter looks like ';'"]),
    "distill, an address": (
        ["distill", "html", "--query", "zen", "--base-url", "nowhere"],
        ["--base-url must be an absolute address"],
    ),
    "distill, a selector": (["distill", "html", "--query", "zen", "--drop", "p[["], ["--drop must"]),
    "distill, all left out": (["distill", "html", "--query", "zen", "--leave-out", "*"], ["--leave-out"]),
    "distill, all pruned": (
        [*ZEN, "--edges", "all", "--no-widen"],
        ["Use finer sites: --site page, or use --method hits."],
    ),
    "distill, two ways to name pages": (
        ["distill", "html", "--query", "zen", "--base-url", "http://a.org/", "--url-from-name"],
        ["--base-url and --url-from-name both give files their addresses"],
    ),
    "distill, a pattern": (
        ["distill", "html", "--query", "zen", "--url-pattern", "{hots}"],
        ["--url-pattern must be a path with the fields {host}"],
    ),
    "distill, an alias": (
        ["distill", "html", "--query", "zen", "--alias", "http://a.org/=b.org"],
        ["--alias must be names of hosts", "--alias www.example.org=example.org"],
    ),
    "distill, a language": ([*ZEN, "--language", "klingon"], ["--language must be one of 'arabic'"]),
    "distill build, no table": (
        ["distill", "build", "html", "--url-table", "absent.csv"],
        ["absent.csv: there is no such file"],
    ),
    "distill info, all left out": (["distill", "info", "html", "--leave-out", "*"], ["--leave-out"]),
    "links, three fields": (
        ["links", "triples.txt"],
        ["triples.txt:1: expected 2 fields", "lists of targets with --adjacency"],
    ),
    "links, other columns": (
        ["links", "scores.csv"],
        ["column 'source'", "name the columns with --source and --target", "a header line with --no-header"],
    ),
    "links, no hosts": (["links", "pair.txt", "--method", "bharat-henzinger"], ["'source_host' unless"]),
    "distill, no sphere": (
        [*ZEN, "--method", "svdd", "--edges", "all", "--no-widen"],
        ["radius 0", "Change --text-weight, train on more pages with --train-size, or use --method hits-top."],
    ),
    "distill --compare, an empty query": ([*ZEN[:3], "", *ZEN[4:], "--compare"], ["--query must"]),
    "distill study, no topic": (["distill", "study", "pages", "--queries", "nothing.txt"], ["nothing.txt"]),
    "distill judge, no topic": (
        ["distill", "judge", "pages", "--queries", "nothing.txt", "--judgements", "j.txt"],
        ["nothing.txt"],
    ),
    "distill agreement, no judgement": (["distill", "agreement", "nothing.txt"], ["nothing.txt"]),
    # Intents
    "intent labels, a semicolon": (
        ["intent", "labels", "semicolon-intents.csv", "--perfect", 1],
        ["semicolon-intents.csv:1: the delimiter looks like ';'"],
    ),
    "intent profile, no query": (["intent", "profile", "--results", "results.csv", "--query", "absent"], ["absent"]),
    "intent results, columns of a log": (
        ["intent", "results", "columns.csv"],
        ["its columns match no schema", "--log-column url=NAME."],
    ),
    "intent results, a log without clicks": (
        ["intent", "results", "searches.csv"],
        ["The log has neither impressions nor clicks"],
    ),
    "intent results, no position": (["intent", "results", "log.csv", "--by", "position"], ["--by clicks"]),
    "intent table, columns of results": (
        ["intent", "table", "--results", "columns.csv"],
        ["its columns match no schema", "--result-column url=NAME."],
    ),
    "intent study, a semicolon": (
        ["intent", "study", "--results", "semicolon-results.csv", "--intents", "intents.csv"],
        ["semicolon-results.csv:1: the delimiter looks like ';'"],
    ),
    "intent study, semicolons of labels": (
        ["intent", "study", "--results", "results.csv", "--intents", "semicolon-intents.csv"],
        ["semicolon-intents.csv:1: the delimiter looks like ';'"],
    ),
    "intent study, one kind": (
        ["intent", "study", "--results", "results.csv", "--intents", "one-kind.csv"],
        ["queries of both kinds"],
    ),
    "intent study, few rows": (["intent", "study", *LABELLED, "--folds", 5], ["folds"]),
    "intent study, columns of a log": (
        ["intent", "study", *LABELLED, "--clicks", "columns.csv"],
        ["its columns match no schema", "names of its columns in the file: --log-column url=NAME."],
    ),
    "intent study, a schema": (
        ["intent", "study", *LABELLED, "--clicks", "columns.csv", "--schema", "plain"],
        ["the schema 'plain' needs", "give its name in the file: --log-column url=NAME."],
    ),
    "intent study, an action": (
        ["intent", "study", *LABELLED, "--clicks", "log.csv", "--strict"],
        ["unknown action", "which drops the row, or map the action: --action view=impression."],
    ),
    "intent study, columns of results": (
        ["intent", "study", "--results", "columns.csv", "--intents", "intents.csv"],
        ["its columns match no schema", "--result-column url=NAME."],
    ),
    "intent study, no column": (
        ["intent", "study", *LABELLED, "--clicks", "log.csv", "--log-column", "site=url"],
        ["There is no column 'site' to rename"],
    ),
    "intent study, day-first dates": (
        ["intent", "study", *LABELLED, "--clicks", "days.csv"],
        ["no valid event", "Set the format of the times: --time-format day-first, or ignore the column: --log-column"],
    ),
    "intent study, a user": (
        ["intent", "study", *LABELLED, "--clicks", "users.csv", "--strict"],
        ["missing user", "ignore the column: --log-column user=."],
    ),
    "intent study, an encoding": (
        ["intent", "study", *LABELLED, "--clicks", "latin.csv", "--strict"],
        ["encoding error", "set its encoding: --encoding cp1252."],
    ),
    "intent study, events alone": (
        ["intent", "study", *LABELLED, "--clicks", "events.csv", "--schema", "ubi"],
        ["events.csv", "--clicks"],
    ),
    "intent study, a fault": (
        ["intent", "study", "--results", "faulty.csv", "--intents", "intents.csv", "--strict"],
        ["faulty.csv:4", "without --strict"],
    ),
    "intent study, labels": (
        ["intent", "study", "--results", "results.csv", "--intents", "unmatched.csv", "--strict"],
        ["--strict"],
    ),
    "intent study, another label": (
        ["intent", "study", "--results", "results.csv", "--intents", "three-kinds.csv"],
        ["three-kinds.csv:3", "got 'transactional'", "--label-map"],
    ),
    "intent study, a label to map": (
        ["intent", "study", *LABELLED, "--label-map", "transactional=0"],
        ["there is no label 'transactional' to map"],
    ),
    "intent study, a class": (
        ["intent", "study", *LABELLED, "--label-map", "transactional=2"],
        ["--label-map", "got '2'"],
    ),
    "data partition, no label": (
        ["data", "partition", "unlabelled.csv", "--output", "blocks"],
        ["--label-column"],
    ),
    "intent statistics, columns of a log": (
        ["intent", "statistics", "columns.csv", "--output", "st"],
        ["--log-column"],
    ),
    "intent serve, another model": (
        ["intent", "serve", "model.json", "--statistics", "nowhere"],
        ["NavigationalClassifier"],
    ),
    "intent train, one kind": (
        ["intent", "train", "m.json", "--results", "results.csv", "--intents", "one-kind.csv"],
        ["queries of both kinds"],
    ),
    "intent train, few rows": (["intent", "train", "m.json", *LABELLED], ["folds"]),
    "intent predict, another model": (
        ["intent", "predict", "model.json", "--results", "results.csv"],
        ["NavigationalClassifier"],
    ),
    "intent explain, another model": (
        ["intent", "explain", "model.json", "--results", "results.csv"],
        ["NavigationalClassifier"],
    ),
}


def error_text(done: Finished) -> str:
    """The error message, without the notes before it."""
    return done.err[done.err.index("Error: ") :]


@pytest.mark.parametrize("case", CASES)
def test_errors_name_the_options_of_the_command(folder, case):
    arguments, expected = CASES[case]
    done = glassrank(*arguments, folder=folder)
    assert (done.code, done.out) == (1, ""), done.err
    assert [words for words in expected if words not in error_text(done)] == [], done.err
    assert ARGUMENT.findall(NAMED_VALUE.sub("", error_text(done))) == []


def test_every_command_has_a_case():
    covered = {case.partition(",")[0].partition(" --")[0] for case in CASES}
    # The other commands read no data.
    others = {"app", "demo", "data simulate", "intent features", "warm"}
    assert covered | others == {path.replace("distill find", "distill") for path, _ in leaves(main)}


def leaves(command: click.Command, path: str = ""):
    if not isinstance(command, click.Group):
        yield path, command
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        yield from leaves(command.get_command(context, name), f"{path} {name}".strip())


def test_every_command_rewords_errors():
    assert [path for path, command in leaves(main) if not isinstance(command, PlainCommand)] == []


def test_bad_usage_is_reworded_too(folder):
    done = glassrank("compare", "good.csv", "a=scores.txt", "--measure", "fame", folder=folder)
    assert done.code == 2
    assert "--measure must be one of ndcg" in error_text(done)


def test_failed_methods_of_a_comparison_are_reported_without_python_arguments(folder):
    done = glassrank(*ZEN, "--compare", "--no-widen", folder=folder)
    assert done.code == 0, done.err
    assert "bharat-henzinger gives no ranking. No link between" in done.out
    assert ARGUMENT.findall(done.out) == []


def test_a_separate_process_prints_the_same(folder):
    done = process("data", "info", "semicolons.csv", folder=folder)
    assert done == glassrank("data", "info", "semicolons.csv", folder=folder)


HOSTILE = ["features=[...]", "strict=False", "{strict}", "--feature", "\x01label=None\x01"]


@pytest.mark.parametrize("name", HOSTILE)
def test_names_in_a_file_are_shown_unchanged(tmp_path, name):
    (tmp_path / "table.csv").write_text(f"label,{name}\n1,2\n")
    done = glassrank("data", "info", "table.csv", folder=tmp_path)
    assert f"the columns are 'label', {name!r}." in done.err


def worded(error: DataError, *path: str) -> str:
    command: click.Command = main
    for name in path:
        command = command.get_command(click.Context(command), name)
    return in_options(error, click.Context(command))


def plain(value):
    """The text of a setting without its random mark, so that test names do not change."""
    return str(DataError(value)) if isinstance(value, str) else " ".join(value)


@pytest.mark.parametrize(
    ("named", "path", "words"),
    [
        (setting("random_state"), ("study",), "--seed"),
        (setting("cv", 3), ("intent", "train"), "--folds 3"),
        (setting("strict", True), ("intent", "study"), "--strict"),
        (setting("strict", False), ("intent", "study"), "without --strict"),
        (setting("query"), ("explain",), "--query"),
        (setting("query_column"), ("explain",), "--query-column"),
        (setting("k"), ("distill", "find"), "-k"),
        (setting("n_features"), ("select",), "--n"),
        (setting("selectors", "SVM weights"), ("intent", "study"), "--selector 'SVM weights'"),
        (setting("train"), ("study",), "TRAIN"),
        (setting("folder", ...), ("study",), "--folder"),
    ],
    ids=plain,
)
def test_a_setting_becomes_the_option_of_the_command(named, path, words):
    assert worded(DataError("No.", remedy=f"See {named}."), *path) == f"No. See {words}."


@pytest.mark.parametrize(
    ("named", "path"),
    [
        (setting("kernel", "rbf"), ("study",)),  # no choice of it
        (setting("cv"), ("study",)),
        (setting("folder", None), ("study",)),
        (setting("strict", False), ("distill", "find")),
    ],
    ids=plain,
)
def test_a_remedy_that_a_command_does_not_offer_is_left_out(named, path):
    assert worded(DataError("No.", remedy=f"See {named}."), *path) == "No."
