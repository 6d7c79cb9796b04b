"""Where the files stand that Streamlit wants beside its main script: app.py, pages/, static/, .streamlit/."""

from pathlib import Path

PACKAGE = Path(__file__).parent
_LAID = PACKAGE / "_site"  # in a wheel; in the repository they stand at the top (tools/site_files.py)
SITE = _LAID if _LAID.is_dir() else PACKAGE.parent
