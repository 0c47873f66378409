# SPDX-License-Identifier: Apache-2.0
"""Scroll effects as a renderer applies them. Written from the contract alone."""

import math

from collection_layout.v1 import geometry_pb2 as geometry
from collection_layout.v1 import layouts_pb2 as layouts

VERTICAL, HORIZONTAL = geometry.SCROLL_DIRECTION_VERTICAL, geometry.SCROLL_DIRECTION_HORIZONTAL
CELL = 1


class Viewport:
    """The visible rect less its insets (top, leading, bottom, trailing)."""

    def __init__(self, offset, size, insets=(0, 0, 0, 0), right_to_left=False):
        top, leading, bottom, trailing = insets
        left, right = (trailing, leading) if right_to_left else (leading, trailing)
        self.right_to_left = right_to_left
        self.x, self.y = offset[0] + left, offset[1] + top
        self.width = max(0, size[0] - left - right)
        self.height = max(0, size[1] - top - bottom)


def distance(threshold, standard, length, extent):
    visible = threshold.visible if threshold.HasField("visible") else standard
    edge = visible * min(length, extent) - length / 2
    return min(
        extent / 2,
        (1 - threshold.centered) * edge + threshold.centered * extent / 2 + threshold.inset)


def progress(effect, name, middle, length, extent):
    if not effect.HasField(name):
        return 0
    edge = getattr(effect, name)
    identity = distance(edge.identity, 1, length, extent)
    outer = distance(edge.outer, 0, length, extent)
    if middle >= identity:
        return 0
    discrete = effect.progress == layouts.ScrollEffect.PROGRESS_DISCRETE
    if middle <= outer or discrete or outer >= identity:
        return 1
    return (identity - middle) / (identity - outer)


def phase(effect, axis, frame, viewport):
    """The name of the edge that the element is near, and how far it has changed."""
    if axis == VERTICAL:
        before, length, extent = frame.y - viewport.y, frame.height, viewport.height
    elif viewport.right_to_left:
        before = viewport.x + viewport.width - frame.x - frame.width
        length, extent = frame.width, viewport.width
    else:
        before, length, extent = frame.x - viewport.x, frame.width, viewport.width
    middle = before + length / 2
    leading = progress(effect, "leading", middle, length, extent)
    trailing = progress(effect, "trailing", extent - middle, length, extent)
    assert leading == 0 or trailing == 0
    return ("leading", leading) if leading > 0 else ("trailing", trailing)


def numbers(values):
    return (
        values.alpha if values.HasField("alpha") else 1,
        values.scale if values.HasField("scale") else 1,
        values.rotation, values.translation.x, values.translation.y, values.z_index)


def seen(effects, element, viewport):
    """(alpha, z-index, hidden, the corners of the element) for an element without a pin."""
    attributes = element.attributes
    frame = attributes.frame
    alpha = attributes.alpha if attributes.HasField("alpha") else 1.0
    z_index, hidden = attributes.z_index, attributes.hidden
    scale, rotation, x, y = 1.0, 0.0, 0.0, 0.0
    for effect in effects.effects:
        if (effect.category or CELL) != element.key.category:
            continue
        if effect.kinds and element.key.kind not in effect.kinds:
            continue
        axis = effect.axis or effects.scroll_axis
        if not effect.axis and element.scrolls_across:
            axis = VERTICAL + HORIZONTAL - axis
        name, p = phase(effect, axis, frame, viewport)
        edge = getattr(effect, name).values if p > 0 else effect.identity
        a, s, r, dx, dy, z = (
            start + (end - start) * p
            for start, end in zip(numbers(effect.identity), numbers(edge)))
        alpha, scale, rotation, x, y = alpha * a, scale * s, rotation + r, x + dx, y + dy
        z_index += int(math.copysign(math.floor(abs(z) + 0.5), z))
        hidden = hidden or (p in (0, 1) and edge.hidden)
    return alpha, z_index, hidden, corners(
        attributes, min(scale, 4), rotation, x, y, viewport.right_to_left)


def corners(attributes, scale, rotation, x, y, mirrored):
    """Where the corners of an element are that has at most a transform of the plane of its own."""
    frame = attributes.frame
    a, b, c, d, tx, ty = list(attributes.transform.values) or (1, 0, 0, 1, 0, 0)
    middle = (frame.x + frame.width / 2, frame.y + frame.height / 2)
    own = []
    for dx in (-frame.width / 2, frame.width / 2):
        for dy in (-frame.height / 2, frame.height / 2):
            own.append((middle[0] + dx * a + dy * c + tx, middle[1] + dx * b + dy * d + ty))
    xs, ys = [point[0] for point in own], [point[1] for point in own]
    if max(xs) - min(xs) > 4096 or max(ys) - min(ys) > 4096:
        return own
    x, y = max(-4096, min(x, 4096)), max(-4096, min(y, 4096))
    if mirrored:
        x, rotation = -x, -rotation
    center = ((min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2)
    sine, cosine = scale * math.sin(rotation), scale * math.cos(rotation)
    return [
        (center[0] + cosine * (px - center[0]) - sine * (py - center[1]) + x,
         center[1] + sine * (px - center[0]) + cosine * (py - center[1]) + y)
        for px, py in own]


def bounds(points):
    xs, ys = [point[0] for point in points], [point[1] for point in points]
    return geometry.Rect(
        x=min(xs), y=min(ys), width=max(xs) - min(xs), height=max(ys) - min(ys))
