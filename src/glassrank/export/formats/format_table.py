"""The formats by name."""

from glassrank.export.formats import javascript_module, onnx_graph, python_function, sql
from glassrank.export.formats.contract import ExportFormat
from glassrank.export.formats.ltr import opensearch, ranklib
from glassrank.export.formats.solr_ltr import solr

_PLUGIN = "Ranks the first results of a query again, with the learning-to-rank plugin of {}."

FORMATS: dict[str, ExportFormat] = {
    "solr": ExportFormat(
        "Solr",
        "Ranks the first results of a query again, with Solr's learning-to-rank module.",
        solr.write,
        kinds=solr.KINDS,
        takes_definitions=True,
    ),
    "postgresql": ExportFormat(
        "PostgreSQL function", "Orders rows of a table by the score, inside the database.", sql.write_postgresql
    ),
    "duckdb": ExportFormat(
        "DuckDB macro", "Orders rows of a table or a Parquet file by the score, in DuckDB.", sql.write_duckdb
    ),
    "onnx": ExportFormat(
        "ONNX graph",
        "Scores a matrix of features in any language that has an ONNX runtime.",
        onnx_graph.write,
        kinds=tuple(onnx_graph.PRECISIONS),
    ),
    "opensearch": ExportFormat(
        "OpenSearch",
        _PLUGIN.format("OpenSearch"),
        opensearch.write_opensearch,
        tuple(opensearch.KINDS),
        takes_definitions=True,
    ),
    "elasticsearch": ExportFormat(
        "Elasticsearch",
        _PLUGIN.format("Elasticsearch"),
        opensearch.write_elasticsearch,
        tuple(opensearch.KINDS),
        takes_definitions=True,
    ),
    "ranklib": ExportFormat("RankLib", "Scores LETOR files with RankLib's own program.", ranklib.write, ranklib.KINDS),
    "python": ExportFormat(
        "Python function",
        "Scores one document in Python, without glassrank or any other package.",
        python_function.write,
    ),
    "javascript": ExportFormat(
        "JavaScript module",
        "Scores one document in a browser or in Node, without other packages.",
        javascript_module.write,
    ),
}
