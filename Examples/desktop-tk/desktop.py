# SPDX-License-Identifier: Apache-2.0
"""A desktop window that shows a collection, with Tk and the Python package.

    python desktop.py [--server HOST:PORT] [--layout KIND] COLLECTION

The wheel, the scroll bar and the keys scroll. 1 to 5 choose another layout, and Delete deletes the item under
the pointer; both are animated. Q quits.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import time
import tkinter
import zlib
from tkinter import ttk

from collection_layout import Client, Element, Frame, LayoutError, Viewer, layouts, updates
from collection_layout.v1 import geometry_pb2, session_pb2

BACKGROUND = (0xF4, 0xF4, 0xF2)
# A window draws at most once in so many milliseconds.
TICK = 10
# Of an animation, in seconds.
DURATION = 0.25
LINE, WHEEL = 40, 90
LAYOUTS = {
    "1": layouts.flow(header_reference_size=(0, 32), section_headers_pin_to_visible_bounds=True),
    "2": layouts.list(header_height=32, headers_pin_to_visible_bounds=True, separator_thickness=1),
    "3": layouts.grid(item_size=(90, 70), interitem_spacing=6, line_spacing=6),
    "4": layouts.waterfall(column_count=5, column_spacing=8, item_spacing=8),
    "5": layouts.carousel(style="cover_flow"),
}


def label(element: Element) -> str:
    """What is written on an element."""
    if element.item is None:
        return f"{element.kind} {element.section}"
    return element.key or f"{element.section}.{element.item}"


def colour(element: Element, alpha: float) -> str:
    """Of its section. Canvases have no transparency, so the colour is mixed with the background."""
    hue = zlib.crc32(f"{element.kind} {element.section}".encode())
    own = [0x70 + (hue >> shift) % 0x70 for shift in (0, 8, 16)]
    if element.category == "decoration":
        own = [0xC8] * 3
    return "#%02x%02x%02x" % tuple(
        round(back + (value - back) * alpha) for back, value in zip(BACKGROUND, own))


Box = tuple[float, float, float, float, float]


def box_of(element: Element) -> Box:
    """x, y, width, height and alpha: what an animation changes. Coordinates are of the content."""
    return (*element.frame, 0.0 if element.hidden else element.alpha)


def message_box(element: session_pb2.LayoutElement) -> Box:
    """The same of an element of a transition."""
    attributes = element.attributes
    box = attributes.frame
    alpha = attributes.alpha if attributes.HasField("alpha") else 1.0
    return box.x, box.y, box.width, box.height, 0.0 if attributes.hidden else alpha


class Card:
    """What shows one slot: a rectangle and a text, which are used again when the slot is."""

    def __init__(self, canvas: tkinter.Canvas) -> None:
        self.canvas = canvas
        self.box = canvas.create_rectangle(0, 0, 0, 0, outline="#ffffff")
        self.text = canvas.create_text(0, 0, anchor="nw", font=("TkDefaultFont", 9))
        self.element: Element | None = None
        self.start = self.end = self.now = (0.0, 0.0, 0.0, 0.0, 0.0)

    def show(self, element: Element, start: Box | None) -> None:
        """Shows an element; with `start` it comes from there."""
        self.element, self.end = element, box_of(element)
        self.start = self.now = self.end if start is None else start
        self.canvas.itemconfigure(self.text, text=label(element), width=max(1, element.frame.width - 6))

    def leave(self, end: Box | None) -> None:
        """Shows nothing, or goes to `end` first."""
        self.start, self.end = self.now, end or (*self.now[:4], 0.0)
        if end is None:
            self.now = self.end
            self.hide()

    def hide(self) -> None:
        self.element = None
        self.canvas.itemconfigure(self.box, state="hidden")
        self.canvas.itemconfigure(self.text, state="hidden")

    def step(self, progress: float) -> None:
        """A step of an animation, from 0 to 1."""
        if self.now != self.end:
            eased = progress * progress * (3 - 2 * progress)
            x, y, width, height, alpha = (a + (b - a) * eased for a, b in zip(self.start, self.end))
            self.now = self.end if progress >= 1 else (x, y, width, height, alpha)

    def place(self, left: float, top: float) -> None:
        """Draws it in a window whose corner is at this place of the content."""
        if self.element is None:
            return
        x, y, width, height, alpha = self.now
        message = self.element.message
        if message is not None and message.HasField("pin"):
            # The server says how far it may be moved, so scrolling needs no answer.
            pin = message.pin
            is_vertical = pin.axis != geometry_pb2.SCROLL_DIRECTION_HORIZONTAL
            visible = top if is_vertical else left
            pinned = min(max(visible + pin.inset, pin.min_offset), pin.max_offset)
            x, y = (x, pinned) if is_vertical else (pinned, y)
        x, y = x - left, y - top
        state = "normal" if alpha > 0 else "hidden"
        self.canvas.coords(self.box, x, y, x + width, y + height)
        self.canvas.coords(self.text, x + 3, y + 3)
        self.canvas.itemconfigure(self.box, state=state, fill=colour(self.element, alpha))
        self.canvas.itemconfigure(self.text, state=state if height > 12 else "hidden")


class Window:
    """A canvas with a card for each slot, which a viewer keeps up to date."""

    def __init__(self, root: tkinter.Tk, client: Client, collection: str, **view: object) -> None:
        self.root = root
        self.canvas = tkinter.Canvas(
            root, width=800, height=600, highlightthickness=0, background="#%02x%02x%02x" % BACKGROUND)
        self.bar = ttk.Scrollbar(root, command=self.drag_bar)
        self.bar.pack(side="right", fill="y")
        self.canvas.pack(side="left", fill="both", expand=True)
        root.title(collection)
        root.update()
        self.viewer: Viewer = client.view(
            collection, size=(self.canvas.winfo_width(), self.canvas.winfo_height()), animations=True,
            capabilities={"pinning": True}, **view)  # type: ignore[arg-type]
        self.cards: dict[int, Card] = {}
        # Elements that are gone from their slots and still fade.
        self.leaving: list[Card] = []
        self.order: list[int] = []
        self.began: float | None = None
        # Calls that wait for an answer must not hold up the window.
        self.calls = concurrent.futures.ThreadPoolExecutor(1)
        self.bind()
        self.tick()

    # MARK: Input

    def bind(self) -> None:
        steps = {
            "<Up>": (0, -LINE), "<Down>": (0, LINE), "<Left>": (-LINE, 0), "<Right>": (LINE, 0),
            "<Button-4>": (0, -WHEEL), "<Button-5>": (0, WHEEL),
            "<Shift-Button-4>": (-WHEEL, 0), "<Shift-Button-5>": (WHEEL, 0)}
        for event, (x, y) in steps.items():
            self.root.bind(event, lambda _, x=x, y=y: self.scroll_by(x, y))
        self.root.bind("<Prior>", lambda _: self.scroll_by(0, -self.viewer.viewport.height * 0.9))
        self.root.bind("<Next>", lambda _: self.scroll_by(0, self.viewer.viewport.height * 0.9))
        self.root.bind("<Home>", lambda _: self.scroll_by(-1e18, -1e18))
        self.root.bind("<End>", lambda _: self.scroll_by(1e18, 1e18))
        # Of Windows and macOS, where a wheel has no buttons.
        self.root.bind("<MouseWheel>", lambda event: self.scroll_by(0, -event.delta * WHEEL / 120))
        for key, layout in LAYOUTS.items():
            self.root.bind(f"<Key-{key}>", lambda _, layout=layout: self.calls.submit(
                self.viewer.change_layout, layout, animated=True))
        self.root.bind("<Delete>", lambda _: self.delete_at_pointer())
        self.root.bind("q", lambda _: self.close())
        self.root.protocol("WM_DELETE_WINDOW", self.close)
        self.canvas.bind("<Configure>", lambda event: self.resize(event.width, event.height))

    def scroll_by(self, x: float, y: float) -> None:
        """Scrolls at once: the elements of the coverage are there. The server sends those that follow."""
        box, (width, height) = self.viewer.viewport, self.viewer.content_size
        self.viewer.scroll(
            min(max(0, box.x + x), max(0, width - box.width)),
            min(max(0, box.y + y), max(0, height - box.height)))
        self.draw()

    def drag_bar(self, action: str, amount: str, unit: str = "") -> None:
        box = self.viewer.viewport
        if action == "moveto":
            self.scroll_by(0, float(amount) * self.viewer.content_size[1] - box.y)
        else:
            self.scroll_by(0, int(amount) * (LINE if unit == "units" else box.height * 0.9))

    def resize(self, width: int, height: int) -> None:
        if (width, height) != self.viewer.viewport[2:]:
            self.viewer.resize(width, height)

    def delete_at_pointer(self) -> None:
        x = self.canvas.winfo_pointerx() - self.canvas.winfo_rootx()
        y = self.canvas.winfo_pointery() - self.canvas.winfo_rooty()
        drawn = {card.box: card for card in self.cards.values()}
        for found in reversed(self.canvas.find_overlapping(x, y, x, y)):
            element = drawn[found].element if found in drawn else None
            if element is not None and element.category == "cell" and element.item is not None:
                self.calls.submit(self.viewer.update, updates.delete(
                    (element.section, element.item)), animated=True)
                return

    def close(self) -> None:
        self.calls.shutdown()
        self.viewer.close()
        self.root.destroy()

    # MARK: Output

    def tick(self) -> None:
        """What the event loop does again and again."""
        try:
            frame = self.viewer.take_frame()
        except LayoutError as error:
            self.root.title(str(error))
            frame = None
        if frame is not None:
            self.apply(frame)
        if frame is not None or self.began is not None:
            self.draw()
        self.root.after(TICK, self.tick)

    def apply(self, frame: Frame) -> None:
        """Only the cards of slots that have changed are touched."""
        transition = frame.transition
        if transition is not None and not transition.animated:
            transition = None
        # Where what appears comes from, and where what disappears goes to.
        starts = {e.slot: message_box(e) for e in transition.appearing} if transition else {}
        ends = {e.slot: message_box(e) for e in transition.disappearing} if transition else {}
        elements = {element.slot: element for element in frame.elements}
        for slot in frame.removed + [slot for slot in frame.changed if slot in ends]:
            self.remove(slot, ends.get(slot))
        for slot in frame.changed:
            card = self.cards.get(slot)
            if card is None:
                card = self.cards[slot] = Card(self.canvas)
            start = None
            if transition:
                x, y, width, height, alpha = card.now
                # What stays still on screen has other coordinates now.
                moved = (x + frame.adjustment[0], y + frame.adjustment[1], width, height, alpha)
                faded: Box = (*elements[slot].frame, 0.0)
                start = starts.get(slot, faded) if card.element is None else moved
            card.show(elements[slot], start)
        if transition:
            self.began = time.monotonic()
        order = [e.slot for e in sorted(elements.values(), key=lambda e: e.z)]
        if order != self.order:
            self.order = order
            for slot in order:
                self.canvas.tag_raise(self.cards[slot].box)
                self.canvas.tag_raise(self.cards[slot].text)

    def remove(self, slot: int, end: Box | None) -> None:
        card = self.cards[slot]
        if end is None:
            card.leave(None)
        elif card.element is not None:
            # Its slot may be used again before it has left.
            del self.cards[slot]
            card.leave(end)
            self.leaving.append(card)

    def draw(self) -> None:
        """Puts all cards where they are now."""
        progress = 1.0 if self.began is None else (time.monotonic() - self.began) / DURATION
        box, height = self.viewer.viewport, self.viewer.content_size[1]
        for card in [*self.leaving, *self.cards.values()]:
            card.step(progress)
            card.place(box.x, box.y)
        if progress >= 1:
            self.began = None
            for card in self.leaving:
                self.canvas.delete(card.box, card.text)
            self.leaving.clear()
        self.bar.set(box.y / max(height, 1), min(1, (box.y + box.height) / max(height, 1)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collection")
    parser.add_argument("--server", metavar="HOST:PORT", help="127.0.0.1:50051 unless given")
    parser.add_argument("--layout", metavar="KIND", help="flow with headers unless given; list, grid, waterfall …")
    options = parser.parse_args()
    with Client(options.server) as client:
        try:
            Window(tkinter.Tk(), client, options.collection,
                   layout={options.layout: {}} if options.layout else LAYOUTS["1"])
        except LayoutError as error:
            raise SystemExit(f"desktop: {error}") from None
        tkinter.mainloop()


if __name__ == "__main__":
    main()
