"""Languages that come while the tests run: a folder of words with Polish and Arabic in it, both partly translated."""

import shutil
from pathlib import Path

import pytest

from attnviz import words

REAL = Path(words.__file__).parent

# Polish has a form for 1, one for 2 to 4, 22 to 24, ..., one for the rest; fractions take a fourth.
POLISH = {
    "common.toml": 'language = "Polski"\nreset = "Wyczyść"\nhead_n = ""\n',
    "playground.toml": (
        'count = "{n:token|tokeny|tokenów} × d_model {d_model}"\n[story]\n'
        'x = "{d_model:liczba|liczby|liczb}, {query}, {id}, {length}{repeated}"\n'
    ),
}
# Arabic has six: 0, 1, 2, 3 to 10, 11 to 99, 100 to 102.
ARABIC = {
    "common.toml": (
        'language = "العربية"\nreset = "إعادة الضبط"\n[scale]\nauto = "تلقائي: {auto}"\n'
        '[steps]\nanswer = "يقول القياس: <b>{answer}</b>"\n'
    ),
    "playground.toml": 'count = "{n:رمز|رمز واحد|رمزان|رموز|رمزًا|رمز} × d_model {d_model}"\n',
}


def begin(folder: Path) -> None:
    """Put the beginnings of Polish and Arabic into a folder of words."""
    for language, files in {"pl": POLISH, "ar": ARABIC}.items():
        (folder / language).mkdir()
        for name, text in files.items():
            (folder / language / name).write_text(text, encoding="utf-8")


@pytest.fixture
def words_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of words in force: English and Japanese as they are, Polish and Arabic begun."""
    made = tmp_path / "words"
    for language in ("en", "ja"):
        shutil.copytree(REAL / language, made / language)
    begin(made)
    monkeypatch.setattr(words, "FOLDER", made)
    return made
