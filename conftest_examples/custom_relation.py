"""A relation with wording and variants of its own: copy this file to ``conftest.py`` of the root directory.

Run it with ``pytest --jevbench-cases=my.jsonl --jevbench-url=...``. Every yes/no question is asked again in two frames
that change nothing of what it asks.
"""

from pytest_jevbench.own_laws import Noul, OwnLaw, equal_numbers


class SameForAnAuditor(OwnLaw):
    name = "same_for_an_auditor"
    law = "Who is said to ask changes nothing: the answer is the same for an auditor and for a customer."
    formula = "P(Q asked by somebody) = P(Q)"
    form = "E"
    edits = ("instructions", "batch")
    wordings = ("An auditor asks: {question}", "A customer would like to know: {question}")

    def applies(self, source, key):
        return isinstance(source.questions[key], Noul)

    def ask(self, source, key, wording, draw):
        return {"framed": Noul(wording.format(question=source.questions[key].instructions))}

    def measure(self, reading):
        asked, framed = reading.yes(reading.key), reading.probe("framed")
        return equal_numbers(reading, {"P(yes)": asked}, {"P(yes)": framed}, decides=True)

    def means(self, text, worlds):
        """For check_relation: the question of the case that a framed text asks."""
        framed = {w.format(question=q): key for key, q in worlds.instructions().items() for w in self.wordings}
        return framed.get(text)


def pytest_jevbench_relations(registry):
    registry.add(SameForAnAuditor)
