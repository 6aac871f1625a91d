"""A real Gradio app with a form like those of decision demos: ``python -m tests.servers.gradio_form PORT``.

A state that starts with ``SAY`` has the app answer with the JSON that follows; ``LIMIT`` and ``BOOM`` make it fail as
demos do. Any other state is answered evenly. What the form was given last is at the endpoint ``given``.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import gradio

GIVEN: list[list[str]] = []


def _answer(state: str, kind: str, options: str) -> Any:
    if "LIMIT" in state:
        raise gradio.Error("You have exceeded your GPU quota (60s requested vs. 12s left). Try again in 0:10:00")
    if "BOOM" in state:
        raise ValueError("inner trouble")
    if state.startswith("SAY"):
        return json.loads(state.removeprefix("SAY"))
    if kind == "noul":
        return {"noul": 0.25}
    labels = [label.strip() for label in options.split(",")]
    return {"probabilities": {label: 1 / len(labels) for label in labels}}


def decide(state: str, kind: str, instructions: str, options: str) -> Any:
    GIVEN.append([state, kind, instructions, options])
    return _answer(state, kind, options)


def as_text(state: str, kind: str, instructions: str, options: str) -> str:
    return json.dumps(decide(state, kind, instructions, options))


def as_label(state: str, kind: str, instructions: str, options: str) -> Any:
    answer = decide(state, kind, instructions, options)
    return answer.get("probabilities", {"yes": answer.get("noul"), "no": 1 - answer.get("noul", 0)})


def short(instructions: str, state: str) -> Any:
    """A form with two fields, in another order."""
    return decide(state, "noul", instructions, "")


def main(port: int) -> None:
    with gradio.Blocks() as app:
        fields = [gradio.Textbox() for _ in range(4)]
        for name, function, output in (
            ("predict", decide, gradio.JSON()),
            ("text", as_text, gradio.Textbox()),
            ("label", as_label, gradio.Label()),
        ):
            gradio.Button().click(function, fields, output, api_name=name)
        gradio.Button().click(short, fields[:2], gradio.JSON(), api_name="short")
        gradio.Button().click(lambda: GIVEN[-1], [], gradio.JSON(), api_name="given")
    app.queue().launch(server_name="127.0.0.1", server_port=port, show_error=True, quiet=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
