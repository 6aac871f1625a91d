"""Languages and scripts."""

from __future__ import annotations

import pytest

from pytest_jevbench.rewrites.languages import language_name, scripts_of_language, wrong_script


@pytest.mark.parametrize(
    ("language", "name", "scripts"),
    [
        ("zh", "Chinese in simplified characters", ("CJK",)),
        ("ES", "Spanish", ("LATIN",)),
        ("pt_BR", "Brazilian Portuguese", ("LATIN",)),
        ("de-AT", "German (de-AT)", ("LATIN",)),
        ("Ukrainian", "Ukrainian", ("CYRILLIC",)),
        ("Klingon", "Klingon", ()),
    ],
)
def test_names_and_scripts(language: str, name: str, scripts: tuple[str, ...]) -> None:
    assert (language_name(language), scripts_of_language(language)) == (name, scripts)


@pytest.mark.parametrize(
    ("language", "text", "wrong"),
    [
        ("zh", "API 的导出是否失败？", False),
        ("zh", "Is the export of the API failing?", True),
        ("zh", "Is the API export failing?", True),
        ("zh", "Ist der Export gescheitert?", True),
        ("zh", "API", False),  # a word of the source
        ("zh", "42 %", False),
        ("ja", "エクスポートは失敗していますか？", False),
        ("zh", "エクスポートはしていますか？", True),
        ("ko", "내보내기가 실패했습니까?", False),
        ("ru", "Не удаётся экспорт через API?", False),
        ("ru", "Ne udayotsya eksport?", True),
        ("es", "¿Falla la exportación?", False),
        ("es", "导出失败了吗？", True),
        ("Klingon", "导出失败了吗？", False),
        ("ar", "هل فشل التصدير؟", False),
    ],
)
def test_the_script_of_a_translation(language: str, text: str, wrong: bool) -> None:
    assert wrong_script(text, "Is the export of the API failing?", scripts_of_language(language)) is wrong


@pytest.mark.parametrize(
    ("source", "text", "wrong"),
    [
        ("Is it failing?", "Does it fail?", False),
        ("Is it failing?", "它失败了吗？", True),
        ("导出失败了吗？", "导出是不是失败了？", False),
        ("导出失败了吗？", "Has the export failed?", True),
        ("100 %?", "anything", False),
    ],
)
def test_a_rewording_stays_in_the_script_of_its_source(source: str, text: str, wrong: bool) -> None:
    assert wrong_script(text, source) is wrong
