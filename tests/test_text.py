"""A sentence becomes tokens: nothing visible is lost, no character is cut, no text breaks it."""

import dataclasses
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from attnviz.text import MAX_CHARACTERS, TOKENIZERS, Tokens, tokenize

FAMILY = "👨‍👩‍👧‍👦"
ENGLAND = "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
SPACED = "pen. don't state-of-the-art 3.14 -5% $6 a@b.co https://x.y/z U.S.A. ... <b> ** ' _ नमस्ते שלום 나는"
UNSPACED = "私はペンを持っています。 トークン すごーい 人々 ﾊﾟ 我有一支笔 注意機構 ฉันมีปากกา"
CLUSTERS = f"{FAMILY} {ENGLAND} 🇯🇵 👍🏽 ❤️ 1️⃣ e\u0301 か\u3099 \u1112\u1161\u11ab क्षि 葛\U000e0100"
FRAGMENTS = [
    *(SPACED + " " + UNSPACED + " " + CLUSTERS).split(),
    *(" ", "\r\n", "\n", "\t", "\u3000", "\u200b", "\u200d", "\u200c", "\ufe0f", "\u3164", "\u115f"),
    *("🇯", "\u0301", "\u0600", "\x00", "\ud800", "\ufeff", "\u00ad", "\u202e", "\uffff", "\ufff9"),
]
HOSTILE = "a+ A. a. a- http:// www.! a@a. -1 漢 あ \U0001f1ef \u0301 \u0600"  # once quadratic, or near it
TEXTS = st.lists(st.sampled_from(FRAGMENTS) | st.characters(exclude_categories=()), max_size=30).map("".join)
every_tokenizer = pytest.mark.parametrize("tokenizer", TOKENIZERS)


def is_control(character: str) -> bool:
    """What the room removes and counts, said by other means than its own pattern."""
    if unicodedata.category(character) == "Cc":
        return character not in "\t\n\v\f\r\x85"
    if unicodedata.category(character) == "Cs" or ord(character) & 0xFFFE == 0xFFFE or character in BIDI:
        return True
    return bool(
        regex.match(
            r"[\uFDD0-\uFDEF\u00AD\u180E\u2060-\u2064\u206A-\u206F\uFEFF\uFFF9-\uFFFB"
            r"\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A\U000E0001]",
            character,
        )
    )


def is_blank(text: str) -> bool:
    return all(c.isspace() or regex.match(r"\p{Default_Ignorable_Code_Point}", c) for c in text)


def spans(tokens: tuple[str, ...], text: str) -> list[tuple[int, int]]:
    """Where each token stands in the text, one after the other."""
    found, end = [], 0
    for token in tokens:
        start = text.index(token, end)
        end = start + len(token)
        found.append((start, end))
    return found


# What a reader expects


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        ("I have a pen.", "I have a pen ."),
        ("I don't, it’s rock'n'roll", "I don't , it’s rock'n'roll"),
        ("a state-of-the-art e-mail", "a state-of-the-art e-mail"),
        ("'Yes,' (she) said: “no”?!", "' Yes , ' ( she ) said : “ no ” ? !"),
        ("wait... what -- no!!", "wait ... what -- no !!"),
        ("at 10:30 on 2026-11-30, or 11/30/2026", "at 10:30 on 2026-11-30 , or 11/30/2026"),
        ("3.14 and 1,000 and -5 and 50%.", "3.14 and 1,000 and -5 and 50% ."),
        ("costs $5 and $6", "costs $5 and $6"),
        ("costs 5€ or ¥1,000", "costs 5€ or ¥1,000"),
        ("2+3=5", "2 + 3 = 5"),
        ("GPT-4 drinks H2O, 5kg", "GPT-4 drinks H2O , 5kg"),
        ("in the U.S.A. e.g. a Ph.D. student", "in the U.S.A. e.g. a Ph.D. student"),
        ("mail a.b@c.org, see (https://x.y/z?q=1).", "mail a.b@c.org , see ( https://x.y/z?q=1 ) ."),
        ("end.Next and/or snake_case", "end . Next and / or snake_case"),
        ("$x$ **a** :smile:", "$ x $ ** a ** : smile :"),
        ("<img src=x onerror=alert(1)>", "< img src = x onerror = alert ( 1 ) >"),
        ("나는 펜이 있습니다.", "나는 펜이 있습니다 ."),
        ("नमस्ते दुनिया", "नमस्ते दुनिया"),
        ("שלום עולם! צה״ל", "שלום עולם ! צה״ל"),
        ("مرحبا بالعالم؟ می\u200cخواهم", "مرحبا بالعالم ؟ می\u200cخواهم"),
        ("Ünïcode naïve café", "Ünïcode naïve café"),
    ],
)
def test_words_are_parted_as_a_reader_of_a_script_with_spaces_expects(sentence: str, words: str) -> None:
    assert list(tokenize(sentence).tokens) == words.split()


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        ("私はペンを持っています。", "私 は ペン を 持っ て い ます 。"),
        ("猫がマットの上に座った。", "猫 が マット の 上 に 座っ た 。"),
        ("注意機構は重要です", "注意 機構 は 重要 です"),
        ("これはペンです", "これ は ペン です"),
        ("わたしはとてもうれしいです", "わたし は とても うれしい です"),
        ("彼はお金を預けたので帰った", "彼 は お金 を 預け た ので 帰っ た"),
        ("TransformerのAttentionは便利です。", "Transformer の Attention は 便利 です 。"),
        ("2026年11月30日に3.14グラム", "2026 年 11 月 30 日 に 3.14 グラム"),
        ("「Q・K・V」、50%引き", "「 Q ・ K ・ V 」 、 50% 引き"),
        ("トークンとソフトマックス関数", "トークン と ソフトマックス 関数"),
        ("すごーい人々", "すごー い 人々"),
    ],
)
def test_japanese_is_segmented_into_words_with_particles_apart(sentence: str, words: str) -> None:
    assert list(tokenize(sentence).tokens) == words.split()
    assert not tokenize(sentence).by_character


def test_han_text_without_kana_is_japanese_if_the_dictionary_knows_its_words() -> None:
    assert tokenize("注意機構").tokens == ("注意", "機構")
    assert not tokenize("注意機構").by_character


@pytest.mark.parametrize(
    "sentence", ["我有一支笔。", "今天天气很好，北京。", "ฉันมีปากกา", "ខ្ញុំមានប៊ិច", "ຂ້ອຍມີປາກກາ"]
)
def test_a_script_without_spaces_or_dictionary_falls_back_on_characters_and_says_so(sentence: str) -> None:
    assert tokenize(sentence).tokens == tokenize(sentence, "characters").tokens
    assert tokenize(sentence).by_character


def test_characters_are_grapheme_clusters_without_white_space() -> None:
    assert tokenize("a pen\u3000はe\u0301.\r\n", "characters").tokens == (
        "a",
        "p",
        "e",
        "n",
        "は",
        "e\u0301",
        ".",
    )


@every_tokenizer
@pytest.mark.parametrize("one", CLUSTERS.split())
def test_one_character_of_many_code_points_is_one_token(tokenizer: str, one: str) -> None:
    assert tokenize(one, tokenizer).tokens == (one,)
    assert tokenize(f"{one} {one}", tokenizer).tokens == (one, one)


def test_emoji_side_by_side_are_tokens_of_their_own() -> None:
    assert tokenize(f"{FAMILY}🇯🇵🇫🇷👍🏽love").tokens == (FAMILY, "🇯🇵", "🇫🇷", "👍🏽", "love")


def test_a_repeated_token_has_the_same_id_and_ids_count_first_appearances() -> None:
    result = tokenize("the cat sat on the mat")
    assert result.ids == (0, 1, 2, 3, 0, 4)
    assert tokenize("The the").ids == (0, 1), "case is kept, so these are two tokens"


@every_tokenizer
@pytest.mark.parametrize("text", ["", " ", " \t\r\n\u3000 ", "\u200b\u200d\ufe0f", "\u3164"])
def test_blank_text_has_no_tokens(tokenizer: str, text: str) -> None:
    assert tokenize(text, tokenizer) == Tokens(tokens=(), ids=())


def test_a_character_that_looks_blank_parts_words_and_a_soft_hyphen_does_not() -> None:
    assert tokenize("zero\u200bwidth").tokens == ("zero", "width")
    assert tokenize("hangul\u3164filler").tokens == ("hangul", "filler")
    assert tokenize("co\u00adoperate").tokens == ("cooperate",)


def test_control_characters_are_removed_and_counted() -> None:
    result = tokenize("\ufeff\ufff9\u202eevil\u202c a\x00b\ud800\uffff\x1b[0m\n")
    assert result.tokens == ("evil", "ab", "[", "0m")
    assert result.dropped_controls == 8


# Limits and errors


def test_the_limit_keeps_the_first_tokens_and_counts_the_rest() -> None:
    result = tokenize("a b " * 300)
    assert result.tokens == ("a", "b") * 256
    assert len(result.ids) == 512
    assert result.cut == 88


@every_tokenizer
def test_after_ten_thousand_characters_the_text_is_not_read_and_this_is_said(tokenizer: str) -> None:
    exact = tokenize("ab c" * (MAX_CHARACTERS // 4), tokenizer, limit=MAX_CHARACTERS)
    longer = tokenize("ab c" * (MAX_CHARACTERS // 4) + "end", tokenizer, limit=MAX_CHARACTERS)
    assert exact.unread == 0
    assert longer == dataclasses.replace(exact, unread=3)


@every_tokenizer
def test_where_reading_stops_no_character_is_cut(tokenizer: str) -> None:
    result = tokenize("." * (MAX_CHARACTERS - 2) + FAMILY, tokenizer, limit=MAX_CHARACTERS)
    assert "".join(result.tokens) == "." * (MAX_CHARACTERS - 2)
    assert result.unread == len(FAMILY)


@pytest.mark.parametrize("unit", HOSTILE.split())
def test_ten_thousand_characters_of_anything_are_read_to_the_end(unit: str) -> None:
    text = (unit * MAX_CHARACTERS)[:MAX_CHARACTERS]
    assert "".join(tokenize(text, limit=MAX_CHARACTERS).tokens) == text


def test_an_unknown_tokenizer_and_a_limit_below_one_are_refused_in_words() -> None:
    with pytest.raises(ValueError, match="tokenizer must be one of words, characters; got 'bpe'"):
        tokenize("a", "bpe")
    with pytest.raises(ValueError, match="limit must be at least 1; got 0"):
        tokenize("a", limit=0)


# Laws


@every_tokenizer
@given(text=TEXTS)
def test_joining_the_tokens_gives_the_text_without_blanks_and_controls(tokenizer: str, text: str) -> None:
    clean = "".join(c for c in text if not is_control(c))
    result = tokenize(text, tokenizer)
    end = 0
    for start, next_end in spans(result.tokens, clean):
        assert is_blank(clean[end:start])
        end = next_end
    assert is_blank(clean[end:])
    assert not any(is_blank(token) for token in result.tokens)
    assert result.dropped_controls == len(text) - len(clean)
    assert (result.cut, result.unread) == (0, 0)


@every_tokenizer
@given(text=TEXTS)
def test_no_token_cuts_a_grapheme_cluster(tokenizer: str, text: str) -> None:
    clean = "".join(c for c in text if not is_control(c))
    boundaries = {0} | {cluster.end() for cluster in regex.finditer(r"\X", clean)}
    for start, end in spans(tokenize(text, tokenizer).tokens, clean):
        assert start in boundaries
        assert end in boundaries


@every_tokenizer
@given(text=TEXTS)
def test_ids_are_equal_exactly_where_tokens_are_and_start_at_zero(tokenizer: str, text: str) -> None:
    result = tokenize(text, tokenizer)
    assert list(result.ids) == [list(dict.fromkeys(result.tokens)).index(token) for token in result.tokens]


@every_tokenizer
@given(text=TEXTS, limit=st.integers(1, 12))
def test_a_limit_changes_nothing_but_the_length(tokenizer: str, text: str, limit: int) -> None:
    whole, part = tokenize(text, tokenizer), tokenize(text, tokenizer, limit)
    assert part.tokens == whole.tokens[:limit]
    assert part.ids == whole.ids[:limit]
    assert part.cut == len(whole.tokens) - len(part.tokens)


@every_tokenizer
@given(text=TEXTS)
def test_every_token_can_be_sent_and_holds_no_control_character(tokenizer: str, text: str) -> None:
    joined = "".join(tokenize(text, tokenizer).tokens)
    joined.encode("utf-8")
    assert not any(unicodedata.category(c) == "Cc" or c in BIDI for c in joined)


# The dictionary


def run_fresh(script: str) -> str:
    """What the script prints in a Python of its own."""
    root = Path(__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_the_dictionary_is_loaded_by_the_first_japanese_sentence_and_not_before() -> None:
    script = (
        "import sys; from attnviz.text import tokenize; tokenize('I have a pen. ฉัน 나는'); print('janome' in sys.modules);"
        "tokenize('ペン'); print('janome' in sys.modules)"
    )
    assert run_fresh(script).split() == ["False", "True"]


def test_threads_that_start_together_share_one_dictionary_and_agree() -> None:
    script = """
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from attnviz import text

together = Barrier(8)
def work(_):
    together.wait()
    return text.tokenize("すもももももももものうち").tokens
with ThreadPoolExecutor(8) as pool:
    print(len(set(pool.map(work, range(8)))), text._janome.cache_info().misses)
"""
    assert run_fresh(script) == "1 1"
