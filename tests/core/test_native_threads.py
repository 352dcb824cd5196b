"""BLAS at one thread while anyone holds it there, and afterwards the limits of before."""

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController, threadpool_limits

from glassrank.core.native_threads import one_blas_thread, one_native_thread
from glassrank.ranking.rank_svm import RankSVM


def limits(user_api="blas"):
    return [library.num_threads for library in ThreadpoolController().select(user_api=user_api).lib_controllers]


@pytest.fixture(params=[1, 2])
def limit(request):
    with threadpool_limits(limits=request.param):
        yield request.param


def hold_until(hold, entered, leave):
    with hold():
        entered.set()
        assert leave.wait(60)


@pytest.mark.parametrize("hold", [one_blas_thread, one_native_thread])
@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_the_last_of_two_threads_to_leave_restores_the_limits_whichever_it_is(hold, order, limit):
    entered, leave = ([threading.Event() for _ in range(2)] for _ in range(2))
    threads = [threading.Thread(target=hold_until, args=(hold, entered[k], leave[k])) for k in range(2)]
    for thread, event in zip(threads, entered, strict=True):
        thread.start()
        assert event.wait(60)
    assert set(limits()) == {1}
    for k, expected in zip(order, (1, limit), strict=True):
        leave[k].set()
        threads[k].join(60)
        assert set(limits()) == {expected}


def test_an_error_inside_restores_the_limits(limit):
    with pytest.raises(ZeroDivisionError), one_blas_thread(), one_blas_thread():
        raise ZeroDivisionError
    assert set(limits()) == {limit}


def test_a_thread_that_set_the_limit_before_can_set_it_afterwards():
    with threadpool_limits(limits=2):
        with ThreadPoolExecutor(1) as pool:
            pool.submit(hold_until, one_blas_thread, threading.Event(), _set_event()).result(60)
        assert set(limits()) == {2}
        with threadpool_limits(limits=1):
            assert set(limits()) == {1}
        assert set(limits()) == {2}


def _set_event():
    event = threading.Event()
    event.set()
    return event


def problem(seed, n_features):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(1_000, n_features))
    y = np.digitize(X[:, :20].sum(axis=1) + 4 * rng.normal(size=1_000), [0.0, 4.0]).astype(float)
    return X, y, np.repeat(np.arange(20), 50)


@pytest.mark.parametrize(
    ("loss", "widths"), [("squared_hinge", (40, 530)), ("hinge", (30, 40)), ("logistic", (40, 50))]
)
def test_fits_in_eight_threads_have_the_bits_of_fits_on_their_own(loss, widths, limit):
    """Wide and narrow data side by side: they share their work among threads in different ways."""
    problems = [problem(seed, widths[seed % 2]) for seed in range(8)]

    def fit(data):
        X, y, qid = data
        return RankSVM(C=10.0, loss=loss, tol=1e-4).fit(X, y, qid=qid).coef_

    alone = [fit(data) for data in problems]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(fit, problems))
    for one, other in zip(alone, together, strict=True):
        np.testing.assert_array_equal(one, other)
    assert set(limits()) == {limit}


FORK = """
import os, threading
from threadpoolctl import threadpool_limits, ThreadpoolController
from glassrank.core.native_threads import one_blas_thread

def limits():
    return {library.num_threads for library in ThreadpoolController().select(user_api="blas").lib_controllers}

entered, leave = threading.Event(), threading.Event()
def hold():
    with one_blas_thread():
        entered.set()
        leave.wait()

threadpool_limits(limits=2)
thread = threading.Thread(target=hold)
thread.start()
entered.wait()
with one_blas_thread():
    child = os.fork()
    if child == 0:
        inside = limits()
if child == 0:
    outside = limits()
    with one_blas_thread():
        again = limits()
    os._exit(0 if (inside, outside, again) == ({1}, {2}, {1}) else 1)
status = os.waitpid(child, 0)[1]
leave.set()
thread.join()
raise SystemExit(status or limits() != {2})
"""


def test_a_forked_child_forgets_what_threads_of_its_parent_held():
    done = subprocess.run([sys.executable, "-c", FORK], timeout=120, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
