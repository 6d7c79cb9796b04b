"""`python -m attnviz` is the command `attnviz`."""

import sys

from attnviz.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
