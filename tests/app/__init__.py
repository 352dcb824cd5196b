"""Tests of the web app: in process, and in a real browser."""
