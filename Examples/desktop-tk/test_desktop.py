# SPDX-License-Identifier: Apache-2.0
"""The window under a display that nobody sees: what is on the canvas is what the viewer holds."""

import random
import time
import tkinter

import pytest
from collection_layout import contents, section, updates
from desktop import LAYOUTS, Window, label


@pytest.fixture
def client(server):
    with server.client() as client:
        yield client
        for collection in list(client.list_collections()):
            client.delete_collection(collection.name)


@pytest.fixture
def window(display, client):
    chance = random.Random(1)
    client.create_collection("artworks", contents(*(
        section(
            widths=[chance.randrange(60, 200) for _ in range(60)],
            heights=[chance.randrange(60, 160) for _ in range(60)],
            keys=[f"{number}-{item}" for item in range(60)])
        for number in range(30))))
    root = tkinter.Tk(screenName=display)
    # Otherwise errors in callbacks are only printed.
    errors = []
    root.report_callback_exception = lambda *error: errors.append(error[1])
    window = Window(root, client, "artworks", layout=LAYOUTS["1"])
    rest(window)
    # Without a window manager nobody gives it the keyboard.
    root.focus_force()
    yield window
    window.close()
    assert errors == []


def run(window, until):
    deadline = time.monotonic() + 20
    while not until():
        assert time.monotonic() < deadline
        window.root.update()
        time.sleep(0.001)


def rest(window):
    """Until nothing moves and everything that was sent is applied."""
    window.root.update()
    window.calls.submit(lambda: None).result()
    elements = window.viewer.settle()
    run(window, lambda: not window.viewer._machine.mirror.has_news and window.began is None)
    assert len(elements) > 0


def drawn(window):
    """What the canvas shows: places in the window and texts, from the rectangles and texts themselves."""
    canvas = window.canvas
    found = []
    for box in canvas.find_all():
        if canvas.type(box) == "rectangle" and canvas.itemcget(box, "state") == "normal":
            x, y, right, bottom = canvas.coords(box)
            text = canvas.itemcget(box + 1, "text")
            assert canvas.type(box + 1) == "text" and canvas.coords(box + 1) == [x + 3, y + 3]
            found.append((text, *(round(value, 2) for value in (x, y, right, bottom))))
    return sorted(found)


def held(window):
    """The same of the live elements, with the rule for pinned ones."""
    viewer, found = window.viewer, []
    for element in viewer.elements:
        x, y, width, height = element.frame
        if element.message is not None and element.message.HasField("pin"):
            pin = element.message.pin
            y = max(pin.min_offset, min(viewer.viewport.y + pin.inset, pin.max_offset))
        x, y = x - viewer.viewport.x, y - viewer.viewport.y
        if not element.hidden and element.alpha > 0:
            found.append((label(element), *(round(v, 2) for v in (x, y, x + width, y + height))))
    return sorted(found)


def assert_same(window):
    assert drawn(window) == held(window)


def press(window, event, times=1):
    for _ in range(times):
        window.root.event_generate(event)


def test_scrolling_shows_what_is_live_and_uses_cards_again(window):
    assert_same(window)
    made = set()
    for event, times in [("<Button-5>", 7), ("<Next>", 5), ("<Down>", 3), ("<End>", 1), ("<Prior>", 9),
                         ("<Button-4>", 2), ("<Home>", 1), ("<Next>", 40)]:
        press(window, event, times)
        rest(window)
        assert_same(window)
        made.update(window.canvas.find_all())
    # Many more elements were seen than there are cards.
    assert window.viewer.viewport.y > 10_000
    assert len(made) <= 2 * (max(window.cards) + 1) < 1000


def test_headers_stay_at_the_top_without_an_answer(window):
    press(window, "<Next>", 3)
    rest(window)
    for _ in range(30):
        press(window, "<Button-5>")
        # Drawn by the event itself, with no frame taken since. The next header pushes the one before away.
        tops = [box[1] for text, *box in drawn(window) if text.startswith("header")]
        assert 0 in tops or any(-32 < top < 0 for top in tops) and any(0 < top < 32 for top in tops), tops
        window.root.update()
    rest(window)
    assert_same(window)


def test_the_window_can_be_resized(window):
    window.root.geometry("500x400")
    run(window, lambda: window.viewer.viewport[2:] == (
        window.canvas.winfo_width(), window.canvas.winfo_height()) and window.canvas.winfo_height() == 400)
    rest(window)
    assert_same(window)
    assert max(box[3] for box in drawn(window)) <= window.canvas.winfo_width()


def test_edits_are_animated(window):
    before = {text: box for text, *box in drawn(window)}
    window.viewer.update(updates.delete((0, 2), count=1), animated=True)
    run(window, lambda: window.began is not None)
    # "0-3" has not come far, "0-2" has not left.
    during = {text: box for text, *box in drawn(window)}
    assert "0-2" in during
    rest(window)
    after = {text: box for text, *box in drawn(window)}
    assert "0-2" not in after
    assert during["0-3"] != after["0-3"] != before["0-3"]
    assert_same(window)


@pytest.mark.parametrize("key", LAYOUTS)
def test_another_layout_is_a_transition(window, key):
    press(window, "<Next>", 2)
    rest(window)
    press(window, f"<Key-{key}>")
    rest(window)
    assert_same(window)
    press(window, "<Button-5>", 4)
    rest(window)
    assert_same(window)


def test_the_item_under_the_pointer_is_deleted(window):
    cell = next(card for card in window.cards.values() if card.element and card.element.key == "0-1")
    x, y, width, height = cell.element.frame
    window.canvas.event_generate("<Motion>", warp=True, x=int(x + width / 2), y=int(y + height / 2))
    window.root.update()
    press(window, "<Delete>")
    rest(window)
    assert "0-1" not in [text for text, *_ in drawn(window)]
    assert_same(window)


def test_others_edit_while_the_window_scrolls(window, client):
    chance = random.Random(3)
    for number in range(40):
        client.apply("artworks", updates.insert(
            (chance.randrange(30), 0), widths=[100], heights=[chance.randrange(60, 160)],
            keys=[f"new-{number}"]), animated=number % 2 == 0)
        press(window, chance.choice(["<Button-5>", "<Next>", "<Button-4>"]), 3)
        window.root.update()
    rest(window)
    assert_same(window)
