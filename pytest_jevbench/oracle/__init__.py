"""A model without contradictions: every answer is a probability under one joint distribution of a case's questions.

It reads requests alone. What each wording asks it knows from its own table (:mod:`.texts`, :mod:`.propositions`,
:mod:`.menus`), which imports neither relations nor the sentences that they send: a law that it does not keep is wrongly
stated or wrongly asked. :mod:`.defects` wraps round it the faults that models have.
"""
