"""Progress callbacks."""

from glassrank.core.progress import counted_steps, silent


def test_steps_are_counted_from_those_done_before():
    told = []
    start = counted_steps(lambda *step: told.append(step), total=2)
    start("training")
    start("writing")
    assert told == [(0, 2, "training"), (1, 2, "writing")]


def test_silent_reports_nothing(capsys):
    counted_steps(None)("training")
    silent(1, 2, "training")
    assert capsys.readouterr() == ("", "")
