# SPDX-License-Identifier: Apache-2.0
"""The code of the guides as it stands there."""

from __future__ import annotations

import pathlib
import re
from typing import Any

GUIDE = pathlib.Path(__file__).resolve().parents[3] / "Documentation" / "guides" / "first-renderer.md"


def test_the_first_renderer(capsys: Any) -> None:
    names: dict[str, Any] = {}
    pages = []
    for block in re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL):
        exec(block, names)
        pages.append(capsys.readouterr().out)
    assert pages[1].startswith("[FRUIT]\n\n[fruit 0]      [fruit 1]")
    # The header of the second section is pinned.
    assert pages[2].startswith("[TOOLS]")
