"""Readers of search logs and result lists: OpenSearch UBI, ORCAS, AOL, and plain tables."""
