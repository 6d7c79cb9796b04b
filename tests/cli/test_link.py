"""What the command takes for a link, and what it opens then."""

from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.cli.link import Link, read_link

PAGES = ("playground", "heads", "masks")
BASE = "http://localhost:8600"


def opened(text: str) -> str | None:
    link = read_link(text, PAGES)
    return link and link.at(BASE)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("masks", "/masks"),
        ("/masks", "/masks"),
        ("masks?", "/masks"),
        ("playground", "/"),
        ("masks?mask=causal", "/masks?mask=causal"),
        ("/masks?mask=causal&window=2", "/masks?mask=causal&window=2"),
        ("?mask=causal", "/?mask=causal"),
        ("/?mask=causal", "/?mask=causal"),
        ("http://localhost:8501", "/"),
        ("http://localhost:8501/", "/"),
        ("http://localhost:8501/masks?mask=causal", "/masks?mask=causal"),
        ("https://school.example/course/heads?num_heads=3", "/heads?num_heads=3"),
        ("https://school.example/course/?num_heads=3", "/?num_heads=3"),
        ("  heads?num_heads=3\n", "/heads?num_heads=3"),
        ("?sentence=I have a pen.", "/?sentence=I%20have%20a%20pen."),
        ("?sentence=I+have+a%20pen.", "/?sentence=I%20have%20a%20pen."),
        ("?sentence=&seed=3", "/?sentence=&seed=3"),
    ],
)
def test_a_link_opens_its_page_and_state_where_the_app_is_served_now(text: str, address: str) -> None:
    assert opened(text) == BASE + address


@pytest.mark.parametrize(
    "text",
    [
        "I have a pen.",
        "Who is it?",
        "Who?",
        "is a = b?",
        "これはペンです。",
        "mask",
        "masks heads",
        "1/2",
        "?",
    ],
)
def test_a_sentence_is_no_link(text: str) -> None:
    assert opened(text) is None


@pytest.mark.parametrize(
    "text", ["nosuch?mask=causal", "http://localhost:8501/nosuch", "https://school.example/a/b?seed=1"]
)
def test_a_link_to_a_page_that_is_not_there_is_refused_by_name(text: str) -> None:
    with pytest.raises(ValueError, match=r"page must be one of heads, masks, playground; got '(nosuch|b)'"):
        read_link(text, PAGES)


@given(st.dictionaries(st.from_regex(r"\A[a-z_]{1,9}\Z"), st.text(st.characters(codec="utf-8")), min_size=1))
def test_every_state_arrives_as_it_was_sent(state: dict[str, str]) -> None:
    address = opened(f"masks?{urlencode(state)}")
    assert address is not None
    assert dict(parse_qsl(urlsplit(address).query, keep_blank_values=True)) == state


def test_a_value_that_is_put_in_replaces_the_links_own() -> None:
    link = Link("masks", (("language", "en"), ("seed", "3")))
    assert link.put("language", "ja").at(BASE) == f"{BASE}/masks?seed=3&language=ja"
