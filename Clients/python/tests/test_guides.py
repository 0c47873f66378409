# SPDX-License-Identifier: Apache-2.0
"""The code of the guides as it stands there."""

from __future__ import annotations

import pathlib
import re
from typing import Any

GUIDES = pathlib.Path(__file__).resolve().parents[3] / "Documentation" / "guides"


def test_the_first_renderer(capsys: Any) -> None:
    names: dict[str, Any] = {}
    pages = []
    for block in re.findall(r"```python\n(.*?)```", (GUIDES / "first-renderer.md").read_text(), re.DOTALL):
        exec(block, names)
        pages.append(capsys.readouterr().out)
    assert pages[1].startswith("[FRUIT]\n\n[fruit 0]      [fruit 1]")
    # The header of the second section is pinned.
    assert pages[2].startswith("[TOOLS]")


def test_a_layout_in_python(capsys: Any) -> None:
    names: dict[str, Any] = {}
    try:
        for block in re.findall(
                r"```python\n(.*?)```", (GUIDES / "layout-in-python.md").read_text(), re.DOTALL):
            exec(block, names)
    finally:
        for running in ("server", "provider"):
            if running in names:
                names[running].stop()
    assert capsys.readouterr().out.startswith("100 stars, the first at 95.0 95.0\nthe server is at 127.0.0.1:")
