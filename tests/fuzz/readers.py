"""Every reader that is fuzzed, by name."""

from tests.fuzz.edges import EDGES
from tests.fuzz.engine_logs import FEATURE_LOG, JUDGEMENTS
from tests.fuzz.exports import EXPORTS
from tests.fuzz.html import HTML
from tests.fuzz.letor import LETOR, LIGHTGBM
from tests.fuzz.logs import AOL, ORCAS, PLAIN, RESULTS, UBI
from tests.fuzz.models import MODELS
from tests.fuzz.ndjson import NDJSON
from tests.fuzz.ranklib import RANKLIB
from tests.fuzz.tables import CSV, LINKS, PARQUET, RATINGS
from tests.fuzz.tar import TAR
from tests.fuzz.trec import QRELS, RUN
from tests.fuzz.warc import WARC

READERS = {
    reader.name: reader
    for reader in (
        *(MODELS, RANKLIB, LETOR, LIGHTGBM, CSV, LINKS, RATINGS, PARQUET, RUN, QRELS),
        *(PLAIN, AOL, ORCAS, UBI, NDJSON, RESULTS, HTML, WARC, TAR, EDGES, FEATURE_LOG, JUDGEMENTS, EXPORTS),
    )
}
