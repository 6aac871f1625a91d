"""A static board of models on one suite: where each stands, as far as the tests can tell them apart.

::

    entries.py   the rows of a board, from a ranking
    document.py  board.json, described by board.schema.json
    csv_text.py  board.csv
    page.py      index.html (template and style beside it)
    text.py      the same for a terminal
"""
