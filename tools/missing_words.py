"""List what a language does not say yet, with the English, and what cannot be right; exit code 1 if there is anything.

python tools/missing_words.py                 all languages
python tools/missing_words.py de              one, also one that has no folder yet
python tools/missing_words.py de --skeleton   writes the files that are not there yet, to be filled in;
                                              prints what is missing in the others
"""

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from attnviz.words.gaps import by_file, forms, misfits, missing, toml  # noqa: E402

FOLDER = ROOT / "attnviz" / "words"


def main(arguments: list[str] | None = None, folder: Path = FOLDER) -> int:
    """Print the report of the languages named, of all by default; 1 where something is missing or wrong, else 0."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "languages", nargs="*", metavar="LANGUAGE", help="the name of a folder in attnviz/words"
    )
    parser.add_argument("--skeleton", action="store_true", help="write the files that are not there yet")
    asked = parser.parse_args(arguments)
    names = asked.languages or folders(folder)
    if asked.skeleton:
        for language in names:
            write(folder, language)
    return max([report(folder, language) for language in names])


def folders(folder: Path) -> list[str]:
    """The languages that have a folder."""
    return sorted(path.parent.name for path in folder.glob("*/common.toml"))


def report(folder: Path, language: str) -> int:
    """Print what is missing and what is wrong; 1 where there is anything."""
    gaps, wrong = missing(folder, language), misfits(folder, language)
    print(
        f"{language}: {len(gaps)} texts are missing, {len(wrong)} do not fit; plural forms {forms(language)}"
    )
    for file, texts in by_file(gaps).items():
        print(f"\n{language}/{file}: {len(texts)} missing")
        for name, english in texts.items():
            print(f"  {name}: {english}")
    for name, why in wrong.items():
        print(f"\n{name}: {why}")
    return int(bool(gaps or wrong))


def write(folder: Path, language: str) -> None:
    """Write the files of a language that are not there yet; print what its others lack, to be put in by hand."""
    for file, texts in by_file(missing(folder, language)).items():
        path = folder / language / file
        if path.exists():
            print(f"# to be put into {path}\n{toml(texts)}")
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(toml(texts), encoding="utf-8")
            print(f"written: {path}")


if __name__ == "__main__":
    sys.exit(main())
