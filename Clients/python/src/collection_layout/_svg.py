# SPDX-License-Identifier: Apache-2.0
"""Draws elements as SVG."""

from __future__ import annotations

import html
import zlib
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collection_layout.mirror import Element, Rect

# Above this many elements labels are left out, and the drawing stays small enough for a notebook.
MOST_LABELS = 500
MOST_ELEMENTS = 5_000


def drawing(elements: Iterable[Element], viewport: Rect, width: float) -> str:
    """The elements within the viewport, from the back to the front."""
    shown = sorted((e for e in elements if _is_in_sight(e, viewport)), key=lambda e: e.z)
    left_out = max(0, len(shown) - MOST_ELEMENTS)
    shown = shown[left_out:]
    scale = min(1.0, width / viewport.width) if viewport.width > 0 else 1.0
    label = len(shown) <= MOST_LABELS
    shapes = "".join(_shape(element, label) for element in shown)
    title = f"{len(shown)} elements" + (f", {left_out} more are not drawn" if left_out else "")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{viewport.width * scale:g}" '
        f'height="{viewport.height * scale:g}" viewBox="{viewport.x:.10g} {viewport.y:.10g} '
        f'{viewport.width:.10g} {viewport.height:.10g}" style="background:#fff">'
        f"<title>{title}</title>{shapes}</svg>")


def _is_in_sight(element: Element, viewport: Rect) -> bool:
    frame = element.frame
    return (not element.hidden and frame.x < viewport.x + viewport.width
            and frame.x + frame.width > viewport.x and frame.y < viewport.y + viewport.height
            and frame.y + frame.height > viewport.y)


def _shape(element: Element, label: bool) -> str:
    x, y, width, height = element.frame
    hue = zlib.crc32(f"{element.category} {element.kind} {element.section}".encode()) % 360
    light = 80 if element.category == "cell" else 65
    place = str(element.section) if element.item is None else f"{element.section}.{element.item}"
    name = " ".join(word for word in (
        "" if element.category == "cell" else element.category, element.kind, place, element.key) if word)
    text = ""
    if label and width >= 24 and height >= 12:
        words = element.key or (place if element.category == "cell" else element.kind)
        text = (f'<text x="{x + 4:.10g}" y="{y + min(height / 2 + 4, 14):.10g}" font-size="11" '
                f'font-family="sans-serif">{_escaped(words[:int(width / 6)])}</text>')
    return (
        f'<g opacity="{element.alpha:.3g}"{_transform(element)}><title>{_escaped(name)}</title>'
        f'<rect x="{x:.10g}" y="{y:.10g}" width="{width:.10g}" height="{height:.10g}" '
        f'fill="hsl({hue},60%,{light}%)" stroke="hsl({hue},40%,45%)" stroke-width="1" '
        f'vector-effect="non-scaling-stroke"/>{text}</g>')


def _transform(element: Element) -> str:
    """A plane transform about the centre; one in space is left out."""
    if element.message is None or len(element.message.attributes.transform.values) != 6:
        return ""
    x, y, width, height = element.frame
    numbers = " ".join(f"{value:.10g}" for value in element.message.attributes.transform.values)
    center_x, center_y = x + width / 2, y + height / 2
    return (f' transform="translate({center_x:.10g} {center_y:.10g}) matrix({numbers}) '
            f'translate({-center_x:.10g} {-center_y:.10g})"')


def _escaped(text: str) -> str:
    # Characters that XML does not allow at all would break the whole drawing.
    return html.escape("".join(c if c >= " " and c not in "\ufffe\uffff" else " " for c in text))
