"""The formats by name."""

from glassrank.export.formats import javascript_module, onnx_graph, python_function, sql
from glassrank.export.formats.contract import ExportFormat
from glassrank.export.formats.ltr import opensearch, ranklib
from glassrank.export.formats.solr_ltr import solr

FORMATS: dict[str, ExportFormat] = {
    "solr": ExportFormat("Solr", solr.write, kinds=solr.KINDS, takes_definitions=True),
    "postgresql": ExportFormat("PostgreSQL function", sql.write_postgresql),
    "duckdb": ExportFormat("DuckDB macro", sql.write_duckdb),
    "onnx": ExportFormat("ONNX graph", onnx_graph.write, kinds=tuple(onnx_graph.PRECISIONS)),
    "opensearch": ExportFormat(
        "OpenSearch", opensearch.write_opensearch, tuple(opensearch.KINDS), takes_definitions=True
    ),
    "elasticsearch": ExportFormat(
        "Elasticsearch", opensearch.write_elasticsearch, tuple(opensearch.KINDS), takes_definitions=True
    ),
    "ranklib": ExportFormat("RankLib", ranklib.write, ranklib.KINDS),
    "python": ExportFormat("Python function", python_function.write),
    "javascript": ExportFormat("JavaScript module", javascript_module.write),
}
