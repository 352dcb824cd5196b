"""Fuzzing: every reader of files gets damaged and hostile input, within limits of time and memory.

``make fuzz`` runs it for long, ``test_short_run.py`` for a moment.
"""
