"""A law of your own domain over two questions of a case: copy this file to ``conftest.py`` of the root directory.

Run it with ``pytest --jevbench-cases=refunds.jsonl --jevbench-url=...``. It asks nothing more: the answers of a case's
own batch are compared with each other.
"""

from pytest_jevbench.own_laws import OwnLaw, at_most


class RefundNeedsOrder(OwnLaw):
    name = "refund_needs_order"
    law = "A refund is approved only where the order was found."
    formula = "P(refund approved) ≤ P(order found)"
    source = "Refund policy, section 3"
    form = "L"
    counts_in = "LOG"  # with --jevbench-count-own-laws; else it is shown beside the dimensions

    def applies(self, source, key):
        return key == "refund_approved" and "order_found" in source.questions

    def about(self, source, key):
        return ("refund_approved", "order_found")

    def measure(self, reading):
        return at_most(reading, "P(refund approved)", reading.yes("refund_approved"), reading.yes("order_found"))

    def given(self, worlds):
        """For check_relation: in your domain there is no world with a refund and without an order."""
        return ~worlds.yes("refund_approved") | worlds.yes("order_found")


def pytest_jevbench_relations(registry):
    registry.add(RefundNeedsOrder)
