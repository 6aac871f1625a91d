"""A model that is coherent by construction, to prove the relations with, and models that are incoherent on purpose.

It sees requests alone. A table of the case takes each wording to an event over one joint distribution of everything
that the case's questions can ask; the wordings are stated here a second time. Nothing here imports the package.
"""
