"""Texts about no question of the case: facts that any state has, and options that no state falls under."""

from __future__ import annotations

__all__ = ["FACTS", "OFF_TOPIC", "UNRELATED"]

_FACT = "the information given "
FACTS: dict[str, tuple[str, bool]] = {
    _FACT + yes if holds else _FACT + no: (yes, holds)
    for yes, no in (
        ("names a day of the week", "names no day of the week"),
        ("contains a percentage", "contains no percentage"),
        ("mentions an amount of money", "mentions no amount of money"),
        ("mentions a time of day", "mentions no time of day"),
        ("contains a question mark", "contains no question mark"),
        ("names a month", "names no month"),
    )
    for holds in (True, False)
}
"""A statement to the fact it is about, and whether it says the fact or its opposite."""

OFF_TOPIC = {
    "The information given is " + topic
    for topic in (
        "a recipe for baking bread",
        "a description of the rings of Saturn",
        "the score of a piece of chamber music",
        "a guide to the breeding habits of penguins",
        "a table of the reigns of ancient kings",
        "an explanation of how glaciers move",
    )
}

UNRELATED = {
    *(
        f"Does the information given {rest}?"
        for rest in (
            "name a colour",
            "contain an exclamation mark",
            "name a planet",
            "mention the weather",
            "name a musical instrument",
            "mention a kind of food",
            "contain a web address",
            "name an animal",
            "contain a list with bullets",
            "name a country",
            "contain a quotation",
            "mention a piece of furniture",
            "name a river or a lake",
            "mention a means of transport",
            "contain the word 'because'",
            "mention a plant",
            "contain a semicolon",
            "mention a building",
            "contain a temperature",
            "mention a holiday",
            "contain two rhyming words side by side",
            "mention a game",
            "mention a book",
            "contain a footnote",
            "mention a mountain",
            "contain a mathematical formula",
        )
    ),
    *(
        f"Is {rest} in the information given?"
        for rest in (
            "there a number with more than four digits",
            "a sport mentioned",
            "a year mentioned",
            "there a word in brackets",
            "a season of the year named",
            "a part of the human body named",
            "a metal named",
            "a language named",
            "a tool named",
            "an item of clothing named",
            "a historical event mentioned",
        )
    ),
    "Is the information given longer than three sentences?",
    "Is any part of the information given written in capital letters only?",
    "Is the information given written in the form of a poem?",
}
"""Yes/no questions that can stand beside any case."""
