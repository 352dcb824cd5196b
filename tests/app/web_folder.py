"""A folder with what the pages Topics and Queries show: a collection, an intent model, statistics, an intent study."""

from glassrank.data.reading_report import ReadingTally
from glassrank.data.web.collection_store import save_collection
from glassrank.navigational.features.sources import IntentSources
from glassrank.navigational.statistics_folder import save_intent_statistics
from glassrank.simulation.log.simulate_log import simulate_log
from glassrank.simulation.web.simulate_web import simulate_web
from glassrank.studies.intent.model import train_intent
from glassrank.studies.intent.simulated_intents import known_intents
from glassrank.studies.intent.study import study_intent

WEB, MODEL, STATISTICS, STUDY = "web", "intent.json", "statistics", "intent-study"
FEW = {"selectors": ["information gain"], "classifiers": ["maximum entropy", "naive Bayes"], "curve": [5], "cv": 2}


def store(collection, folder):
    """Store a collection as ``glassrank distill build --store`` does."""
    folder.mkdir(parents=True)
    reading = ReadingTally().report(str(folder), "simulated", len(collection.pages), len(collection.links))
    save_collection(collection, folder, "", reading)


def make_folder(folder):
    """Fill a folder, and return the sources of the features: 40 queries with 10 results, a log, links and pages."""
    log = simulate_log(simulate_web(4, 30, 300, random_state=0), 40, 10, sessions_per_query=5, random_state=0)
    web = log.web.collection
    sources = IntentSources(log.results, log.log, web.links, web.pages, "en")
    intents = known_intents(log)
    store(web, folder / WEB)
    train_intent(sources, intents, coupling=("SVM weights", "maximum entropy", 12), cv=2).save(folder / MODEL)
    save_intent_statistics(folder / STATISTICS, log.log, web.links, web.pages)
    study_intent(IntentSources(log.results), intents, folder / STUDY, n_features=5, simulated=True, **FEW)
    return sources


def results_table(results):
    """Results as the CSV file of ``--results``."""
    rows = zip(results.query_id, results.query, results.rank.astype(int), results.url, strict=True)
    lines = ["query_id,query,rank,url", *(",".join(map(_quoted, row)) for row in rows)]
    return ("\n".join(lines) + "\n").encode()


def _quoted(value):
    text = str(value)
    return f'"{text}"' if "," in text else text
