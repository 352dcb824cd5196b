"""``make audit`` says what it found and what it could not check."""

import json

from tools.audit import UNREACHABLE, summary

CHECKED = {"name": "click", "version": "8.5.1", "vulns": []}
VULNERABLE = {"name": "numpy", "version": "2.4.6", "vulns": [{"id": "PYSEC-1", "fix_versions": ["2.4.7"]}]}
SKIPPED = {"name": "six", "skip_reason": "Dependency not found on PyPI and could not be audited: six (1.17.0)"}


def audited(*packages):
    return summary(json.dumps({"dependencies": packages, "fixes": []}))


def test_only_a_complete_check_passes():
    assert audited(CHECKED) == ("1 packages checked, 0 known vulnerabilities.", 0)
    text, code = audited(CHECKED, SKIPPED)
    assert code == 2
    assert text.endswith("Not in the database, so not checked: six.")


def test_a_vulnerability_is_named_with_its_fix():
    text, code = audited(CHECKED, VULNERABLE)
    assert code == 1
    assert text.startswith("numpy 2.4.6: PYSEC-1, fixed in 2.4.7\n")


def test_no_database_is_no_clean_bill():
    """pip-audit itself says "No known vulnerabilities found" when it could look up none of the packages."""
    assert audited(SKIPPED, SKIPPED) == (UNREACHABLE, 2)
    assert summary("", "requests.exceptions.ConnectionError: name or service not known") == (UNREACHABLE, 2)


def test_a_failure_of_pip_audit_is_passed_on():
    assert summary("", "usage: …\npip-audit: error: no such option") == (
        "pip-audit failed: pip-audit: error: no such option",
        2,
    )
