"""The formats by name."""

from glassrank.export.formats import javascript_module, onnx_graph, python_function, solr, sql
from glassrank.export.formats.contract import Format
from glassrank.export.formats.ltr import opensearch, ranklib

FORMATS: dict[str, Format] = {
    "solr": Format("Solr", solr.write, kinds=solr.KINDS, takes_definitions=True),
    "postgresql": Format("PostgreSQL function", sql.write_postgresql),
    "duckdb": Format("DuckDB macro", sql.write_duckdb),
    "onnx": Format("ONNX graph", onnx_graph.write, kinds=tuple(onnx_graph.PRECISIONS)),
    "opensearch": Format("OpenSearch", opensearch.write_opensearch, tuple(opensearch.KINDS), takes_definitions=True),
    "elasticsearch": Format(
        "Elasticsearch", opensearch.write_elasticsearch, tuple(opensearch.KINDS), takes_definitions=True
    ),
    "ranklib": Format("RankLib", ranklib.write, ranklib.KINDS),
    "python": Format("Python function", python_function.write),
    "javascript": Format("JavaScript module", javascript_module.write),
}
