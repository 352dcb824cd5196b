"""Progress callbacks."""

from glassrank.core.progress import counted_steps, silent


def test_steps_are_counted_from_those_done_before():
    reported = []
    start = counted_steps(lambda *step: reported.append(step), total=2)
    start("training")
    start("writing")
    assert reported == [(0, 2, "training"), (1, 2, "writing")]


def test_silent_reports_nothing(capsys):
    counted_steps(None)("training")
    silent(1, 2, "training")
    assert capsys.readouterr() == ("", "")
