"""Languages by code or by name, and the scripts they are written in."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import groupby

__all__ = ["language_name", "scripts_of_language", "wrong_script"]

_LATIN = (
    "af Afrikaans, az Azerbaijani, bs Bosnian, ca Catalan, cs Czech, cy Welsh, da Danish, de German, en English, "
    "eo Esperanto, es Spanish, et Estonian, eu Basque, fi Finnish, fil Filipino, fr French, ga Irish, gl Galician, "
    "hr Croatian, hu Hungarian, id Indonesian, is Icelandic, it Italian, lb Luxembourgish, lt Lithuanian, lv Latvian, "
    "ms Malay, mt Maltese, nb Norwegian, nl Dutch, nn Norwegian Nynorsk, no Norwegian, pl Polish, pt Portuguese, "
    "pt-br Brazilian Portuguese, ro Romanian, sk Slovak, sl Slovenian, sq Albanian, sv Swedish, sw Swahili, "
    "tl Tagalog, tr Turkish, uz Uzbek, vi Vietnamese, zu Zulu"
)
_OTHERS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (_LATIN, ("LATIN",)),
    ("zh Chinese in simplified characters, zh-cn Chinese in simplified characters", ("CJK",)),
    ("zh-hans Chinese in simplified characters, zh-hant Chinese in traditional characters", ("CJK",)),
    ("zh-tw Chinese in traditional characters, yue Cantonese", ("CJK",)),
    ("ja Japanese", ("CJK", "HIRAGANA", "KATAKANA")),
    ("ko Korean", ("HANGUL", "CJK")),
    ("be Belarusian, bg Bulgarian, kk Kazakh, ky Kyrgyz, mk Macedonian, mn Mongolian, ru Russian", ("CYRILLIC",)),
    ("tg Tajik, uk Ukrainian", ("CYRILLIC",)),
    ("sr Serbian", ("CYRILLIC", "LATIN")),
    ("ar Arabic, fa Persian, ps Pashto, ur Urdu", ("ARABIC",)),
    ("he Hebrew, yi Yiddish", ("HEBREW",)),
    ("hi Hindi, mr Marathi, ne Nepali", ("DEVANAGARI",)),
    ("bn Bengali, as Assamese", ("BENGALI",)),
    ("el Greek", ("GREEK",)),
    ("th Thai", ("THAI",)),
    ("ta Tamil", ("TAMIL",)),
    ("te Telugu", ("TELUGU",)),
    ("gu Gujarati", ("GUJARATI",)),
    ("kn Kannada", ("KANNADA",)),
    ("ml Malayalam", ("MALAYALAM",)),
    ("pa Punjabi", ("GURMUKHI",)),
    ("si Sinhala", ("SINHALA",)),
    ("ka Georgian", ("GEORGIAN",)),
    ("hy Armenian", ("ARMENIAN",)),
    ("am Amharic", ("ETHIOPIC",)),
    ("km Khmer", ("KHMER",)),
    ("lo Lao", ("LAO",)),
    ("my Burmese", ("MYANMAR",)),
)
_NAMES: dict[str, str] = {}
_SCRIPTS: dict[str, tuple[str, ...]] = {}
for _entries, _scripts in _OTHERS:
    for _entry in _entries.split(", "):
        _code, _, _name = _entry.partition(" ")
        _NAMES[_code] = _name
        _SCRIPTS[_code] = _SCRIPTS[_name.casefold()] = _scripts
_SCRIPTS["chinese"] = ("CJK",)

_LETTERS = re.compile(r"[^\W\d_]+")
_SHARE = 0.5
"""So much of the letters must be of the language's script; names and abbreviations may be of another."""

_WORDS_OF_A_NAME = 2
"""A longer text that has no letter of the script is no name."""


def language_name(language: str) -> str:
    """How a language is called in a prompt: ``zh`` by its name, what is not known as it was given."""
    code = language.replace("_", "-").casefold()
    return _NAMES.get(code) or (f"{_NAMES[code.partition('-')[0]]} ({language})" if _known(code) else language)


def scripts_of_language(language: str) -> tuple[str, ...]:
    """The scripts of a language, by the first word of their characters' Unicode names; empty where unknown."""
    code = language.replace("_", "-").casefold()
    return _SCRIPTS.get(code) or _SCRIPTS.get(code.partition("-")[0], ())


def _known(code: str) -> bool:
    return "-" in code and code.partition("-")[0] in _NAMES


def wrong_script(text: str, source: str, scripts: Iterable[str] | None = None) -> bool:
    """Whether most letters of a text are of none of the scripts, which are those of the source where none are given.

    Words of another script that stand in the source too (a product's name) do not count, as long as there are others.
    Of no script (an unknown language's) nothing can be said.
    """
    wanted = {script for script, _ in _runs(source)} if scripts is None else set(scripts)
    own = {word.casefold() for _, word in _runs(source)}
    runs = list(_runs(text))
    right = sum(len(word) for script, word in runs if script in wanted)
    others = sum(len(word) for script, word in runs if script not in wanted and word.casefold() not in own)
    untouched = not right and len(text.split()) > _WORDS_OF_A_NAME
    return bool(wanted and runs) and (untouched or right < _SHARE * (right + others))


def _runs(text: str) -> Iterator[tuple[str, str]]:
    """The runs of letters of one script, each with its script."""
    for word in _LETTERS.findall(text):
        for script, letters in groupby(word, _script):
            yield script, "".join(letters)


def _script(letter: str) -> str:
    return unicodedata.name(letter, "").replace("-", " ").partition(" ")[0]
