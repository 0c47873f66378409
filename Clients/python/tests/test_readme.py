# SPDX-License-Identifier: Apache-2.0
"""The code of the README as it stands there."""

from __future__ import annotations

import asyncio
import pathlib
import re
from typing import Any

import pytest

from collection_layout import LayoutServer
from collection_layout._numpy import numpy

README = pathlib.Path(__file__).resolve().parents[1] / "README.md"
BLOCKS = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)

pytestmark = pytest.mark.skipif(numpy is None, reason="numpy is not installed")


def test_the_ten_lines_hold_live_elements(capsys: Any, monkeypatch: Any) -> None:
    assert BLOCKS[0].count("\n") <= 12
    names: dict[str, Any] = {}
    exec(BLOCKS[0], names)
    printed = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"<\d+ elements> [\d.]+ \d+", printed[0])
    # What was deleted above is taken off the offset.
    assert re.fullmatch(r"<\d+ elements> \(0\.0, -\d+\.0\)", printed[1])
    assert 900_000 < names["elements"].y.min() <= 1_000_000


def test_frames_with_asyncio(server: LayoutServer, capsys: Any) -> None:
    names: dict[str, Any] = {}
    exec(BLOCKS[1], names)
    with server.client() as client:
        client.create_collection("rows", heights=[10] * 1000)
        asyncio.run(asyncio.wait_for(names["show"](server.address), 30))
        client.delete_collection("rows")
    assert len(capsys.readouterr().out.splitlines()) == 4


@pytest.mark.parametrize("number", range(2, len(BLOCKS)))
def test_the_other_parts_run(number: int, capsys: Any) -> None:
    exec(BLOCKS[number], {})
    printed = capsys.readouterr().out
    # What a line prints stands behind it.
    for expected in re.findall(r"print\(.*\)  # (.*)", BLOCKS[number]):
        assert expected in printed
