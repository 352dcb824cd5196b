"""Reads pages and links from HTML files, web archives and tables, and stores them compactly."""
