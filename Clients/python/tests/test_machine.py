# SPDX-License-Identifier: Apache-2.0
"""A client of one's own: the state of a viewer over a stream that the test reads itself."""

from __future__ import annotations

import queue
from collections import deque
from collections.abc import Callable
from typing import Any

import grpc
import pytest

from collection_layout import Client, FieldError, LayoutError, Machine, Mirror, layouts, updates
from collection_layout.client import view_machine
from collection_layout.errors import make_error
from collection_layout.machine import MOST_KEPT, Answer, Backoff, add_request
from collection_layout.v1 import session_pb2, session_pb2_grpc


def opened(session: str, last_event_seq: int) -> session_pb2.StreamLayoutResponse:
    """The answer to an opening."""
    return session_pb2.StreamLayoutResponse(opened=dict(
        session=session, last_event_seq=last_event_seq, units_per_point=64, resume_token=b"token"))


def machine_of(renderer: str | None) -> Machine:
    """The state of a viewer of rows that measures with a renderer."""
    return view_machine(
        "rows", None, None, (300, 400), None, None, None, None, None, True, 64, False, None, False, renderer)


def test_an_opening_names_the_renderer_also_when_it_goes_on() -> None:
    machine = machine_of("app 3.1 Inter")
    assert machine.first_request().open.renderer == "app 3.1 Inter"
    machine.receive(opened("sessions/a", 1))
    machine.ended(None)
    assert machine.first_request().open.renderer == "app 3.1 Inter"
    assert machine_of(None).first_request().open.renderer == ""
    for wrong in ["", "x" * 129, "\n", "ä"]:
        with pytest.raises(FieldError, match="renderer"):
            machine_of(wrong)


def test_what_was_applied_is_sent_again_to_another_session_only() -> None:
    machine = Machine(session_pb2.OpenSession(collection="collections/rows"), Mirror())
    machine.first_request()
    assert machine.receive(opened("sessions/a", 1)) == []
    sent = [machine.event(update=dict(operations={})) for _ in range(3)]
    assert [request.event_seq for request in sent] == [2, 3, 4]
    machine.ended(None)
    machine.first_request()
    # Two were applied, and their answers were lost with the stream; the server tells them again.
    assert machine.receive(opened("sessions/a", 3)) == sent[2:]
    machine.receive(session_pb2.StreamLayoutResponse(event_result=dict(event_seq=2, data_version=1)))
    assert [(seq, answer.result.data_version) for seq, answer in machine.answers] == [(2, 1)]
    machine.ended(None)
    machine.first_request()
    assert machine.receive(opened("sessions/b", 0)) == sent[1:]


def test_viewport_changes_while_there_is_no_stream_are_merged_with_their_zeros() -> None:
    machine = Machine(session_pb2.OpenSession(collection="collections/rows"), Mirror())
    machine.event(viewport=dict(
        content_offset=dict(x=3, y=500), content_insets=dict(top=20), traits=dict(right_to_left=True),
        section_offsets=[dict(section=1, offset=5), dict(section=2, offset=6)]))
    merged = machine.event(viewport=dict(
        content_offset=dict(y=0), content_insets={}, traits={},
        section_offsets=[dict(section=2, offset=0)])).viewport
    for viewport in (merged, machine.opening.viewport):
        assert (viewport.content_offset.x, viewport.content_offset.y) == (0, 0)
        assert viewport.content_insets.top == 0 and not viewport.traits.right_to_left
        assert {each.section: each.offset for each in viewport.section_offsets} == {1: 5, 2: 0}
        assert len(viewport.section_offsets) == 2


def test_an_opening_has_the_newest_offsets_of_sections_as_many_as_servers_accept() -> None:
    machine = Machine(session_pb2.OpenSession(collection="collections/rows"), Mirror())
    for section in range(5000):
        machine.event(viewport=dict(section_offsets=[dict(section=section, offset=1)]))
    machine.event(viewport=dict(section_offsets=[dict(section=1000, offset=2)]))
    offsets = machine.opening.viewport.section_offsets
    assert len(offsets) == 4096 and offsets[0].section == 904
    assert (offsets[-1].section, offsets[-1].offset) == (1000, 2)


def test_a_merged_viewport_change_names_the_frame_of_its_offset() -> None:
    machine = Machine(session_pb2.OpenSession(collection="collections/rows"), Mirror())
    machine.first_request()
    machine.receive(opened("sessions/a", 1))
    machine.receive(session_pb2.StreamLayoutResponse(frame=dict(frame_seq=1)))
    machine.ended(None)
    machine.event(viewport=dict(content_offset=dict(y=9)))
    machine.mirror.reset(64)
    merged = machine.event(viewport=dict(size=dict(width=1, height=2))).viewport
    assert merged.observed_frame_seq == 1 and merged.content_offset.y == 9
    merged = machine.event(viewport=dict(content_offset=dict(y=10))).viewport
    assert merged.observed_frame_seq == 0 and merged.size.width == 1


def begun(y: float = 0, **opening: Any) -> Machine:
    """A machine with a session whose first frame, with an item at y, has come."""
    machine = Machine(session_pb2.OpenSession(collection="collections/rows", **opening), Mirror())
    machine.first_request()
    machine.receive(opened("sessions/a", 1))
    machine.receive(shown(1, y))
    return machine


def shown(seq: int, y: float) -> session_pb2.StreamLayoutResponse:
    """A keyframe with an item."""
    element = dict(
        item_key="a", key=dict(category="ELEMENT_CATEGORY_CELL", index_path=dict(section=0, item=0)),
        attributes=dict(frame=dict(x=0, y=y, width=100, height=100)))
    return session_pb2.StreamLayoutResponse(frame=dict(
        frame_seq=seq, live_count=1, elements=dict(upserts=[element])))


def lost(machine: Machine, name: str) -> tuple[session_pb2.OpenSession, list[Any]]:
    """The opening after a stream broke, and what another session is sent then."""
    machine.ended(None)
    opening = machine.first_request().open
    return opening, machine.receive(opened(name, 0))


def test_after_an_outage_a_server_that_no_longer_has_the_session_opens_another_one_at_once() -> None:
    machine = begun()
    for _ in range(10):
        assert machine.ended(None) < 13
    gone = make_error(grpc.StatusCode.NOT_FOUND, "gone", reason="SESSION_EXPIRED")
    machine.first_request()
    assert machine.ended(gone) == 0
    # It has opened this one, so it should have it.
    assert not machine.first_request().open.HasField("resume")
    machine.receive(opened("sessions/b", 0))
    assert machine.ended(gone) > 5


def test_after_a_refused_frame_a_resumed_session_is_where_the_viewer_is() -> None:
    machine, outcomes = begun(), session_pb2.SessionOpened
    for outcome, is_current in [
            (outcomes.OUTCOME_CREATED, False), (outcomes.OUTCOME_RESUMED_WITH_KEYFRAME, False),
            (outcomes.OUTCOME_RESUMED, True)]:
        wrong = session_pb2.LayoutFrame(frame_seq=9, base_frame_seq=machine.mirror.frame_seq, live_count=5)
        assert machine.receive(session_pb2.StreamLayoutResponse(frame=wrong))[0].ack.rejected
        assert not machine.mirror.is_current
        machine.ended(None)
        assert machine.first_request().open.resume.last_frame_seq == machine.mirror.frame_seq
        answer = opened("sessions/a", 0)
        answer.opened.outcome = outcome
        machine.receive(answer)
        assert machine.mirror.is_current == is_current


def test_only_the_answer_to_a_resume_says_that_a_viewer_is_where_its_session_is() -> None:
    machine = begun()
    resumed = opened("sessions/a", 0)
    resumed.opened.outcome = session_pb2.SessionOpened.OUTCOME_RESUMED

    def refuse_frame() -> None:
        wrong = dict(frame_seq=2, base_frame_seq=1, live_count=5)
        assert machine.receive(session_pb2.StreamLayoutResponse(frame=wrong))[0].ack.rejected

    # The stream of the opening, and one that sends a frame before its answer.
    for _ in range(2):
        refuse_frame()
        machine.receive(resumed)
        assert not machine.mirror.is_current
        machine.ended(None)
        machine.first_request()
    machine.receive(resumed)
    assert machine.mirror.is_current
    # The answer comes once.
    refuse_frame()
    machine.receive(resumed)
    assert not machine.mirror.is_current


def test_a_new_session_is_sent_all_but_what_names_slots_and_steps_of_what_ended() -> None:
    machine = begun()
    events: list[dict[str, Any]] = [
            dict(update=dict(operations={})), dict(measurements=dict(slots=[0], sizes=[{}])),
            dict(outline=dict(expand=["a"])), dict(outline=dict(toggled_slots=[0])),
            dict(table=dict(reset=True)), dict(scroll_target=dict(element=dict(item_key="a"))),
            dict(movement=dict(cancel=True)), dict(resync={}), dict(invalidation={}),
            dict(transition=dict(cancel=True)), dict(viewport=dict(content_offset=dict(y=5))), dict(sync={})]
    for event in events:
        machine.event(**event)
    opening, sent = lost(machine, "sessions/b")
    assert opening.viewport.content_offset.y == 5
    assert [request.WhichOneof("event") for request in sent] == [
        "update", "outline", "table", "scroll_target", "resync", "invalidation", "sync"]
    refused = [answer.request.WhichOneof("event") for _, answer in machine.answers if answer.error()]
    assert refused == ["measurements", "outline", "movement", "transition"]


def test_a_new_session_is_told_the_columns_and_what_is_expanded() -> None:
    machine = begun(expansions=dict(base="BASE_COLLAPSED", collapsed=["a", "c"]))

    def apply(version: int = 0, **event: Any) -> None:
        result = dict(event_seq=machine.event(**event).event_seq, data_version=version)
        machine.receive(session_pb2.StreamLayoutResponse(event_result=result))

    apply(table=dict(
        columns=[dict(id="year", width=80), dict(id="note", hidden=True)], order=dict(ids=["note"])))
    apply(table=dict(columns=[dict(id="year"), dict(id="title", width=9)]))
    apply(outline=dict(expand=["a", "b"]))
    apply(outline=dict(collapse=["b"]))
    # With a version the collection keeps it.
    apply(4, outline=dict(expand=["d"]))
    machine.event(table=dict(reset=True))
    opening, _ = lost(machine, "sessions/b")
    assert opening.table == session_pb2.TableChange(
        columns=[dict(id="note", hidden=True), dict(id="title", width=9)], order=dict(ids=["note"]))
    assert opening.expansions == session_pb2.ExpansionState(
        base="BASE_COLLAPSED", expanded=["a"], collapsed=["c", "b"])
    apply(table=dict(reset=True))
    assert lost(machine, "sessions/c")[0].table == session_pb2.TableChange()


def test_an_item_in_sight_is_where_it_was_in_a_new_session() -> None:
    machine = begun(450, viewport=dict(size=dict(width=100, height=500)))
    machine.event(viewport=dict(content_offset=dict(y=400)))
    lost(machine, "sessions/b")
    machine.take_frame()
    scrolled = machine.receive(shown(1, 1450))[1]
    assert scrolled.viewport.content_offset.y == 1400
    frame = machine.take_frame()
    assert frame.adjustment == (0, 1000) and frame.offset == (0, 1400)


def test_a_session_begins_at_the_start_until_there_was_a_frame() -> None:
    machine = Machine(session_pb2.OpenSession(
        collection="collections/rows", start=dict(edge="CONTENT_EDGE_END")), Mirror())
    machine.first_request()
    machine.receive(opened("sessions/a", 1))
    machine.ended(None)
    opening = machine.first_request().open
    assert opening.HasField("start") and not opening.viewport.HasField("content_offset")
    machine.receive(opened("sessions/a", 1))
    machine.receive(session_pb2.StreamLayoutResponse(frame=dict(
        frame_seq=1, content_offset_adjustment=dict(y=70))))
    machine.ended(None)
    opening = machine.first_request().open
    assert not opening.HasField("start") and opening.viewport.content_offset.y == 70


def test_a_section_that_the_server_has_scrolled_stays_there() -> None:
    machine = begun()
    machine.event(viewport=dict(section_offsets=[dict(section=2, offset=5)]))
    target = session_pb2.ScrollTarget(section_offset=dict(section=3, offset=70))
    machine.receive(session_pb2.StreamLayoutResponse(scroll_target=target))
    assert machine.scroll_targets == [target]
    offsets = lost(machine, "sessions/b")[0].viewport.section_offsets
    assert {each.section: each.offset for each in offsets} == {2: 5, 3: 70}


def test_a_heartbeat_tells_which_scroll_steps_are_applied() -> None:
    machine = begun()
    for y in range(10):
        machine.event(viewport=dict(content_offset=dict(y=y)))
    machine.receive(session_pb2.StreamLayoutResponse(heartbeat=dict(applied_event_seq=10)))
    assert list(machine._pending) == [11]


def test_a_change_names_the_frame_that_its_caller_has_seen() -> None:
    machine = begun()
    machine.receive(shown(2, 0))
    change = machine.event(viewport=dict(content_offset=dict(y=1), observed_frame_seq=1))
    assert change.viewport.observed_frame_seq == 1
    assert machine.event(viewport=dict(content_offset=dict(y=1))).viewport.observed_frame_seq == 2


def test_an_event_that_was_not_sent_can_be_taken_back() -> None:
    machine = begun()
    sent = machine.event(update=dict(operations={}))
    machine.ended(None)
    waiting = machine.event(update=dict(operations={}))
    assert machine.withdraw(waiting.event_seq) is None
    # It may be applied already.
    assert machine.withdraw(sent.event_seq) == sent
    machine.first_request()
    assert machine.receive(opened("sessions/a", 1)) == [sent]


def test_a_call_that_took_too_long_is_passing() -> None:
    machine = begun()
    assert machine.ended(LayoutError(grpc.StatusCode.DEADLINE_EXCEEDED, "too long")) < 1
    with pytest.raises(LayoutError):
        machine.ended(LayoutError(grpc.StatusCode.DEADLINE_EXCEEDED, "too long", "OPEN_TIMEOUT"))


def test_a_layout_that_was_applied_is_kept_however_it_came() -> None:
    machine = Machine(session_pb2.OpenSession(
        collection="collections/rows", layout=layouts.list(row_height=10)), Mirror())
    machine.first_request()
    machine.receive(opened("sessions/a", 1))

    def answer(seq: int) -> None:
        machine.receive(session_pb2.StreamLayoutResponse(event_result=dict(event_seq=seq)))

    def reopened() -> session_pb2.OpenSession:
        machine.ended(None)
        opening = machine.first_request().open
        machine.receive(opened("sessions/a", 99))
        return opening

    grid = layouts.grid()
    machine.event(layout=dict(layout=grid))
    # Whether it was applied is not known, so the session keeps the layout that it has.
    assert not reopened().HasField("layout")
    answer(2)
    assert reopened().layout == grid
    for seq, last in ((3, dict(cancel=True)), (5, dict(finish=True))):
        machine.event(transition=dict(begin=layouts.list(row_height=seq)))
        answer(seq)
        machine.event(transition=last)
        assert not reopened().HasField("layout")
        answer(seq + 1)
        assert reopened().layout == (grid if seq == 3 else layouts.list(row_height=5))


def test_a_resume_leaves_out_options_whose_answer_is_pending() -> None:
    machine = Machine(session_pb2.OpenSession(
        collection="collections/rows", options=dict(max_in_flight_frames=1)), Mirror())
    machine.first_request()
    machine.receive(opened("sessions/a", 1))
    machine.event(options=dict(max_in_flight_frames=2))
    machine.ended(None)
    assert not machine.first_request().open.HasField("options")
    machine.receive(opened("sessions/a", 2))
    machine.receive(session_pb2.StreamLayoutResponse(event_result=dict(event_seq=2)))
    machine.ended(None)
    assert machine.first_request().open.options.max_in_flight_frames == 2


def test_a_new_session_is_told_what_its_opening_left_out() -> None:
    list_layout, options = layouts.list(row_height=10), session_pb2.SessionOptions(max_in_flight_frames=1)
    machine = Machine(session_pb2.OpenSession(
        collection="collections/rows", layout=list_layout, options=options), Mirror())
    machine.first_request()
    machine.receive(opened("sessions/a", 1))

    def reopened(name: str) -> list[Any]:
        """What the machine sends after it went on in a session."""
        machine.ended(None)
        assert not machine.first_request().open.HasField("layout")
        return machine.receive(opened(name, 99))

    def answer(seq: int, code: int = 0) -> list[Any]:
        result = session_pb2.EventResult(event_seq=seq)
        if code:
            result.problem.code = code
        return machine.receive(session_pb2.StreamLayoutResponse(event_result=result))

    # A step of a transition makes no sense in another session, so nothing else tells this one its layout.
    machine.event(transition=dict(begin=layouts.grid()))
    assert reopened("sessions/a") == []
    sent = reopened("sessions/b")
    assert [request.layout.layout for request in sent] == [list_layout]
    answer(sent[0].event_seq)
    # The pending event tells it another one, unless it is refused.
    last = machine.event(layout=dict(layout=layouts.grid()))
    changed = machine.event(options=dict(max_in_flight_frames=2))
    assert reopened("sessions/c") == [last, changed]
    again = answer(last.event_seq, code=3)
    assert [request.layout.layout for request in again] == [list_layout]
    assert answer(again[0].event_seq) == []
    again = answer(changed.event_seq, code=3)
    assert [request.options for request in again] == [options]
    # A collection without a default layout cannot be opened without one.
    machine.event(layout=dict(layout=layouts.grid()))
    machine.ended(None)
    assert machine.first_request().open.HasField("resume")
    machine.ended(LayoutError(grpc.StatusCode.INVALID_ARGUMENT, "none", "LAYOUT_KIND_UNKNOWN"))
    opening = machine.first_request().open
    assert not opening.HasField("resume") and opening.layout == list_layout


def test_the_first_result_of_an_event_counts() -> None:
    machine = begun()
    seq = machine.event(update=dict(operations={})).event_seq
    for result in (dict(event_seq=seq, data_version=7), dict(event_seq=seq, data_version=99),
                   dict(event_seq=seq, problem=dict(code=9)), dict(event_seq=1000, data_version=5)):
        machine.receive(session_pb2.StreamLayoutResponse(event_result=result))
    assert [(number, answer.result.data_version) for number, answer in machine.answers] == [(seq, 7)]
    # One's own client may make an answer without an event.
    refusal = session_pb2.EventResult(problem=dict(code=9, message="no"))
    error = Answer(session_pb2.StreamLayoutRequest(), refusal, None).error()
    assert error is not None and error.message == "no"


def test_another_token_is_tried_once_until_a_stream_has_worked() -> None:
    machine, now = begun(), [0.0]
    machine.backoff = Backoff(now=lambda: now[0])
    refused = make_error(grpc.StatusCode.UNAUTHENTICATED, "refused")

    def ends_after(seconds: float | None, error: LayoutError = refused) -> float:
        if seconds is not None:
            machine.first_request()
            machine.receive(opened("sessions/a", 1))
            now[0] += seconds
        return machine.ended(error, can_renew=True)

    assert ends_after(0.5) == 0
    with pytest.raises(LayoutError, match="refused"):
        ends_after(0.5)
    assert ends_after(1.5) == 0
    # Not opened at all.
    with pytest.raises(LayoutError, match="refused"):
        ends_after(None)
    assert ends_after(1.5) == 0
    assert ends_after(0.5, make_error(grpc.StatusCode.UNAVAILABLE, "bye")) > 0
    with pytest.raises(LayoutError, match="refused"):
        ends_after(0.5)
    assert ends_after(1.5) == 0
    assert ends_after(1.5, make_error(grpc.StatusCode.UNAVAILABLE, "bye")) > 0
    assert ends_after(None) == 0
    # The same token again is of no use.
    with pytest.raises(LayoutError, match="refused"):
        machine.ended(refused)


def test_a_token_that_was_never_accepted_is_not_asked_for_again() -> None:
    machine = Machine(session_pb2.OpenSession(collection="collections/rows"), Mirror())
    machine.first_request()
    with pytest.raises(LayoutError):
        machine.ended(make_error(grpc.StatusCode.UNAUTHENTICATED, ""), can_renew=True)


def ack(frame_seq: int, rejected: bool = False) -> session_pb2.StreamLayoutRequest:
    """An acknowledgement."""
    return session_pb2.StreamLayoutRequest(ack=dict(frame_seq=frame_seq, rejected=rejected))


EVENT = session_pb2.StreamLayoutRequest(event_seq=1, sync={}, ack=dict(frame_seq=1))


@pytest.mark.parametrize("added, waiting", [
    ([ack(1)] * 5, [ack(1)]),
    ([ack(1), ack(2), EVENT, ack(2), ack(3), None], [ack(2), EVENT, ack(3), None]),
    ([EVENT, EVENT, ack(1), ack(2)], [EVENT, EVENT, ack(2)]),
    # Frame 6 was refused; heartbeats came, and then the keyframe.
    ([ack(5), ack(6, True), ack(5), ack(5)], [ack(5), ack(6, True)]),
    ([ack(5), ack(6, True), ack(7), ack(8)], [ack(5), ack(6, True), ack(8)]),
    ([ack(6, True), ack(7, True)], [ack(6, True), ack(7, True)])])
def test_of_acknowledgements_that_wait_the_newest_is_sent(added: list[Any], waiting: list[Any]) -> None:
    found: deque[Any] = deque()
    for request in added:
        add_request(found, request)
    assert list(found) == waiting


def test_rejections_that_wait_are_bounded() -> None:
    found: deque[Any] = deque()
    for seq in range(1, 3 * MOST_KEPT):
        add_request(found, ack(seq, rejected=seq % 2 == 0))
    assert len(found) == MOST_KEPT and found[-1] == ack(seq)


def test_a_heartbeat_tells_that_nothing_follows_a_frame_that_was_refused() -> None:
    machine = begun()
    assert machine.mirror.is_current
    rejected = session_pb2.LayoutFrame(frame_seq=2, base_frame_seq=1, live_count=9)
    assert machine.receive(session_pb2.StreamLayoutResponse(frame=rejected)) == [ack(2, rejected=True)]
    for count, checksum in ((1, 0), (2, machine.mirror.checksum())):
        heartbeat = dict(last_frame_seq=1, live_count=count, state_checksum=checksum)
        machine.receive(session_pb2.StreamLayoutResponse(heartbeat=heartbeat))
        assert not machine.mirror.is_current
    heartbeat = dict(last_frame_seq=1, live_count=1, state_checksum=machine.mirror.checksum())
    machine.receive(session_pb2.StreamLayoutResponse(heartbeat=heartbeat))
    assert machine.mirror.is_current


def test_heartbeats_with_another_checksum_add_no_events() -> None:
    machine = begun()
    for _ in range(5):
        heartbeat = dict(last_frame_seq=1, live_count=7, state_checksum=5)
        # The server compares the checksum in the acknowledgement, and sends a keyframe.
        sent = machine.receive(session_pb2.StreamLayoutResponse(heartbeat=heartbeat))
        assert [(each.event_seq, each.ack.state_checksum) for each in sent] == [(0, machine.mirror.checksum())]


def test_a_machine_applies_answers_and_goes_on_in_another_stream(client: Client) -> None:
    client.create_collection("rows", heights=[50] * 1000, layout=layouts.list())
    opening = session_pb2.OpenSession(
        collection="collections/rows", capabilities=dict(checksums=True, encodings=["ELEMENT_ENCODING_PACKED"]))
    opening.viewport.size.width, opening.viewport.size.height = 300, 500
    machine = Machine(opening, Mirror())
    stub = session_pb2_grpc.LayoutSessionServiceStub(client.channel)

    def stream() -> tuple[Any, queue.SimpleQueue[Any]]:
        requests: queue.SimpleQueue[Any] = queue.SimpleQueue()
        requests.put(machine.first_request())
        return stub.StreamLayout(iter(requests.get, None), metadata=client.metadata()), requests

    def read(until: Callable[[], Any]) -> None:
        while not until():
            for request in machine.receive(next(call)):
                requests.put(request)

    call, requests = stream()
    read(lambda: machine.mirror.frame_seq)
    assert machine.is_connected and len(machine.mirror) >= 10
    requests.put(machine.event(viewport=dict(content_offset=dict(x=0, y=5000))))
    assert machine.viewport == (0, 5000, 300, 500)
    requests.put(None)
    call.cancel()
    assert 0.05 < machine.ended(None) < 0.2
    # Sent in the next stream, since this one has ended.
    update = machine.event(update=dict(operations=dict(operations=[updates.delete((0, 0))])))
    call, requests = stream()
    read(lambda: machine.answers)
    seq, answer = machine.answers[0]
    assert seq == update.event_seq and answer.error() is None and answer.result.data_version == 1
    read(lambda: machine.mirror.data_version == 1)
    assert machine.viewport.y == 4950
    assert machine.streams == 2
    requests.put(machine.event(close=dict(discard=True)))
    requests.put(None)
    for _ in call:
        pass
