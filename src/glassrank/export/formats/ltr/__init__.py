"""The learning-to-rank plugins of OpenSearch and Elasticsearch, and RankLib, whose models they read."""
