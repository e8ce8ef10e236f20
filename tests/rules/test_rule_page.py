"""The rule reference says what the rule files say."""

from tools.render_rules import PAGE, render


def test_the_page_is_made_from_the_rules_as_they_are() -> None:
    assert PAGE.read_text(encoding="utf-8") == render()
