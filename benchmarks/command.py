"""What the benchmarks share of a command: --quick before, the goals after."""

import argparse


def is_quick(description: str | None, meaning: str) -> bool:
    """Whether the command line says --quick, which has this meaning."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help=meaning)
    return bool(parser.parse_args().quick)


def goal(name: str, value: float, limit: float, digits: int = 3) -> str:
    """The line that says whether a value is within its limit."""
    return f"goal {name}: {value:.{digits}f} (wanted <= {limit}) {'met' if value <= limit else 'missed'}"
