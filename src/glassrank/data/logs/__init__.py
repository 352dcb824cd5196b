"""Search logs and result lists out of the files people have: OpenSearch UBI, ORCAS, AOL, and plain tables."""
