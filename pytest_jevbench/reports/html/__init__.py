"""The report as one HTML page: a file that needs no network, for a browser, a phone and a printer.

What it is made of::

    documents.py  reads a coherence card, a labelled result or a judge result, by its ``format``
    section.py    Report (everything that the page is about), Section (one part of the page)
    registry.py   the parts of the page, in their order
    rendering.py  templates (jinja2), which escape whatever they are given; JSON for the page's script
    page.py       the page around the sections: ``report_page(report)``
    script/       its script in parts: tables, the browser of tests, opening a dropped file, what is printed
    report.css    its style: light and dark, phone, print

How a section is added: write a module of this package with a function ::

    def sections(report: Report) -> Iterator[Section]:
        for result in report.labelled:          # documents of its kind; yield nothing where there is none
            html = render("labelled.html.j2", result=result.data)
            yield Section("labelled", "Labelled answers", html)

put its template into ``templates/`` and its name into ``registry.SECTIONS``, at the place where it is to stand. The
page gives it a heading, a link in the contents and its place. ``templates/macros.html.j2`` has what sections share:
tables that the page's script sorts, bars with intervals, figures. ``html`` is taken as it is: make it with
:func:`~pytest_jevbench.reports.html.rendering.render`, which escapes every text, and with nothing else. Two sections
of one page have different ids.
"""
