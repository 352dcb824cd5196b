"""Solr's learning to rank."""
