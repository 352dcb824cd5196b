"""Fuzzing: every reader of files gets damaged and hostile input, with limits on time and memory.

``make fuzz`` is a long run, and ``test_short_run.py`` a short one.
"""
