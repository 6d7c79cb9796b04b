"""Remake static/Inter.woff2: the Inter variable font, cut down to the scripts and signs the pages use.

Needs npm (for `npm pack`) and `python -m pip install fonttools brotli`; run from the project's root:

    python tools/make_font.py
"""

import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

PACKAGE = "inter-ui@4.1.1"
FONT = "package/variable/InterVariable.woff2"
LICENCE = "package/LICENSE.txt"
STATIC = Path(__file__).resolve().parent.parent / "static"

# Subscripts and superscripts, arrows and mathematics are what ready-made "latin" subsets lack.
UNICODES = (
    "U+0000-024F,U+1E00-1EFF,"  # Latin
    "U+02B0-036F,U+1D43-1D6A,U+2C7C,"  # modifiers, combining marks, small raised and lowered letters
    "U+0370-03FF,U+0400-04FF,"  # Greek, Cyrillic
    "U+2000-206F,U+2070-209F,U+20A0-20BF,U+2100-214F,"  # punctuation, sub- and superscripts, currency
    "U+2190-21FF,U+2200-22FF"  # arrows, mathematics
)
# No `calt`: it draws "->" as an arrow and "3x4" with a multiplication sign; what was typed must stay so.
FEATURES = ("kern", "liga", "tnum", "ccmp", "mark")
DIGITS = {"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"}


def unpack(folder: Path) -> None:
    """Fetch the npm package into `folder` and unpack the font and its licence there."""
    subprocess.run(["npm", "pack", PACKAGE, "--silent"], cwd=folder, check=True)
    (archive,) = folder.glob("*.tgz")
    with tarfile.open(archive) as tar:
        for member in (FONT, LICENCE):
            tar.extract(member, folder, filter="data")


def keep_punctuation(font: TTFont) -> None:
    """Let `tnum` change digits only: Inter's also widens spaces, hyphens and stops: words fall apart."""
    table = font["GSUB"].table
    features = [record.Feature for record in table.FeatureList.FeatureRecord if record.FeatureTag == "tnum"]
    for index in {index for feature in features for index in feature.LookupListIndex}:
        for rule in table.LookupList.Lookup[index].SubTable:
            mapping = getattr(rule, "ExtSubTable", rule).mapping
            for glyph in set(mapping) - DIGITS:
                del mapping[glyph]


def cut(source: Path, target: Path) -> None:
    """Write the characters of UNICODES of the font `source` to `target` as WOFF2, all weights kept."""
    options = subset.Options(layout_features=list(FEATURES), flavor="woff2")
    font = subset.load_font(source, options)
    keep_punctuation(font)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=subset.parse_unicodes(UNICODES))
    subsetter.subset(font)
    subset.save_font(font, target, options)


def main() -> None:
    """Make the font and put its licence beside it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        unpack(folder)
        cut(folder / FONT, STATIC / "Inter.woff2")
        shutil.copyfile(folder / LICENCE, STATIC / "Inter-LICENSE.txt")


if __name__ == "__main__":
    main()
