"""The command for translators: it lists what is missing with the English, and its exit code says whether anything is."""

from pathlib import Path

import pytest

from attnviz.words import FOLDER
from attnviz.words.gaps import missing
from tools.missing_words import main


def test_a_complete_language_lacks_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ja"]) == 0
    assert capsys.readouterr().out.startswith("ja: 0 texts are missing, 0 do not fit; plural forms other\n")


def test_a_language_that_is_begun_is_listed_with_the_english_by_file(
    words_folder: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (words_folder / "pl" / "heads.toml").write_text('[channels]\nviews = "{n:głowa|głowy}"', encoding="utf-8")
    assert main(["pl"], words_folder) == 1
    said = capsys.readouterr().out
    assert (
        f"pl: {len(missing(words_folder, 'pl'))} texts are missing, 1 do not fit; plural forms one|few|many"
        in said
    )
    assert "\npl/scores.toml: " in said and "\n  head_n: head {n}\n" in said
    assert "\nheads.channels.views: głowa|głowy must have the forms one|few|many" in said
    assert "\n  language: " not in said


def test_without_a_name_all_languages_are_listed(
    words_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([], words_folder) == 1
    heads = [
        line.split(":")[0] for line in capsys.readouterr().out.splitlines() if "texts are missing" in line
    ]
    assert heads == ["ar", "en", "ja", "pl"]


def test_a_new_language_gets_files_to_fill_in_and_no_file_is_ever_written_over(
    words_folder: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["de"], words_folder) == 1
    assert not (words_folder / "de").exists()
    main(["de", "--skeleton"], words_folder)
    assert {path.name for path in (words_folder / "de").iterdir()} == {
        path.name for path in (words_folder / "en").iterdir()
    }
    (words_folder / "de" / "common.toml").write_text('language = "Deutsch"\n', encoding="utf-8")
    capsys.readouterr()
    assert main(["de", "--skeleton"], words_folder) == 1
    assert (words_folder / "de" / "common.toml").read_text(encoding="utf-8") == 'language = "Deutsch"\n'
    said = capsys.readouterr().out
    assert '# "head {n}"\nhead_n = ""\n' in said and '"English"' not in said


def test_a_language_that_no_one_has_begun_lacks_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tlh"]) == 1
    assert f"tlh: {len(missing(FOLDER, 'tlh'))} texts are missing" in capsys.readouterr().out
