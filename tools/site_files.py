"""The build step that lays the app's files into the wheel, as attnviz/_site; an editable install needs none.

app.py, pages/, static/ and .streamlit/ stand at the top of the repository, where Streamlit looks for them; a wheel
has room for packages only. `attnviz/site.py` finds them in both places.
"""

import shutil
from pathlib import Path

from setuptools.command.build_py import build_py

# requirements.txt goes along: the command reads there what the app needs.
PATTERNS = ("app.py", "requirements.txt", "pages/*.py", "static/*", ".streamlit/config.toml")
TO = "attnviz/_site"


def site_files() -> list[str]:
    """The files to lay into the wheel, by their paths from the top of the repository, where a build runs."""
    return sorted(path.as_posix() for pattern in PATTERNS for path in Path().glob(pattern) if path.is_file())


class BuildWithSite(build_py):
    """`build_py`, and the app's files."""

    def run(self) -> None:
        if not self.editable_mode:
            # pip and uv build where the sources are and leave build/ there: what was deleted since is still in it.
            shutil.rmtree(Path(self.build_lib, "attnviz"), ignore_errors=True)
        super().run()
        if not self.editable_mode:
            for target, source in self._site().items():
                self.mkpath(str(Path(target).parent))
                self.copy_file(source, target, preserve_mode=False)

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        return list(dict.fromkeys([*super().get_outputs(include_bytecode), *self._site()]))

    def get_output_mapping(self) -> dict[str, str]:
        return super().get_output_mapping() | self._site()

    def get_source_files(self) -> list[str]:
        return [*super().get_source_files(), *site_files(), "tools/site_files.py"]

    def _site(self) -> dict[str, str]:
        """Each file's place in the build, and where it comes from."""
        return {str(Path(self.build_lib, TO, source)): source for source in site_files()}
