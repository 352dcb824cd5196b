"""Connections to a database in memory: shared, but with tables of their own, and usable after a fork."""

import multiprocessing

import duckdb
import pytest

from glassrank.files.memory_database import connect_in_memory


def test_connections_do_not_see_each_others_temporary_tables():
    with connect_in_memory() as first, connect_in_memory() as second:
        first.execute("CREATE TEMP TABLE numbers AS SELECT 1 AS n")
        second.execute("CREATE TEMP TABLE numbers AS SELECT 2 AS n")
        assert (first.table("numbers").fetchall(), second.table("numbers").fetchall()) == ([(1,)], [(2,)])
        with connect_in_memory() as third, pytest.raises(duckdb.CatalogException):
            third.table("numbers")


def test_settings_are_those_asked_for():
    read = "SELECT current_setting('threads'), current_setting('enable_progress_bar')"
    with connect_in_memory(threads=1) as one, connect_in_memory(threads=3) as three:
        assert (one.sql(read).fetchall(), three.sql(read).fetchall()) == ([(1, False)], [(3, False)])


def test_a_closed_connection_leaves_the_others_open():
    with connect_in_memory() as kept:
        connect_in_memory().close()
        assert kept.sql("SELECT 1").fetchall() == [(1,)]


def count_rows(queue):
    with connect_in_memory() as connection:
        queue.put(connection.sql("SELECT count(DISTINCT range % 1000) FROM range(1000000)").fetchall())


def test_a_forked_process_has_a_database_of_its_own():
    """Many rows, so that the threads of a database are needed, which a fork does not copy."""
    with connect_in_memory() as connection:
        connection.sql("SELECT 1").fetchall()
    context = multiprocessing.get_context("fork")
    queue = context.SimpleQueue()
    process = context.Process(target=count_rows, args=(queue,))
    process.start()
    process.join(60)
    if process.is_alive():
        process.kill()
    assert (process.exitcode, queue.get()) == (0, [(1000,)])
    count_rows(queue)
    assert queue.get() == [(1000,)]
