"""At the end of the run: how many of the ONNX suite's cases passed, of how many there are."""

from collections import Counter

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = [
        report
        for report in terminalreporter.stats.get("passed", [])
        if "test_onnx.py::test_outputs" in report.nodeid
    ]
    if not reports:
        return
    from tests.conformance.onnx_cases import CASES, NOT_EXPRESSIBLE

    passed = Counter(
        report.nodeid.split("[")[1].rstrip("]") for report in reports
    )  # twice, stored and reference
    whole = Counter(CASES[name].operator for name, times in passed.items() if times == 2)
    every = Counter(case.operator for case in CASES.values())
    counts = ", ".join(f"{operator} {whole[operator]} of {count}" for operator, count in every.items())
    left_out = "; ".join(f"{name}: {reason}" for name, reason in NOT_EXPRESSIBLE.items())
    terminalreporter.write_line(f"ONNX cases passed: {counts} (left out: {left_out})")
