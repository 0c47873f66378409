// SPDX-License-Identifier: Apache-2.0

package layoutclient

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"collectionlayout.example/layoutclient/layoutpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

type request = layoutpb.StreamLayoutRequest

func scrollTo(y float64) *request {
	return &request{Event: &layoutpb.StreamLayoutRequest_Viewport{Viewport: &layoutpb.ViewportChange{
		ObservedFrameSeq: 7, ContentOffset: &layoutpb.Point{Y: y}}}}
}

func outline(change *layoutpb.OutlineChange) *request {
	return &request{Event: &layoutpb.StreamLayoutRequest_Outline{Outline: change}}
}

func table(change *layoutpb.TableChange) *request {
	return &request{Event: &layoutpb.StreamLayoutRequest_Table{Table: change}}
}

func lostViewer() *Viewer {
	return &Viewer{opening: &layoutpb.OpenSession{}, mirror: NewMirror(64, Limits{}), session: "sessions/x",
		token: []byte{1}, lastEvent: 1}
}

func TestANewSessionIsSentAllButWhatNamesSlotsAndStepsOfWhatEnded(t *testing.T) {
	viewer := lostViewer()
	send := func(request *request) uint64 { return must[uint64](t)(viewer.Send(request)) }
	send(scrollTo(1))
	repeated := []uint64{
		send(outline(&layoutpb.OutlineChange{Expand: []string{"a"}})), send(table(&layoutpb.TableChange{})),
		send(&request{Event: &layoutpb.StreamLayoutRequest_ScrollTarget{ScrollTarget: &layoutpb.ScrollTargetRequest{}}}),
		send(&request{Event: &layoutpb.StreamLayoutRequest_Invalidation{Invalidation: &layoutpb.Invalidation{}}}),
		send(&request{Event: &layoutpb.StreamLayoutRequest_Sync{Sync: &layoutpb.SyncRequest{}}}),
		send(&request{Event: &layoutpb.StreamLayoutRequest_Resync{Resync: &layoutpb.ResyncRequest{}}}),
	}
	forsaken := []uint64{
		send(outline(&layoutpb.OutlineChange{ToggledSlots: []uint32{0}})),
		send(&request{Event: &layoutpb.StreamLayoutRequest_Movement{Movement: &layoutpb.InteractiveMovement{}}}),
		send(&request{Event: &layoutpb.StreamLayoutRequest_Transition{Transition: &layoutpb.InteractiveTransition{}}}),
		send(&request{Event: &layoutpb.StreamLayoutRequest_Measurements{Measurements: &layoutpb.MeasurementReport{}}}),
	}
	viewer.openingRequest()
	// What was scrolled since the opening names a frame of the old session.
	repeated = append(repeated, send(scrollTo(2)))
	requests, lost := viewer.pending.handOver(viewer.openedAt)
	var found []uint64
	for _, request := range requests {
		found = append(found, request.EventSeq)
	}
	if !reflect.DeepEqual(found, repeated) || !reflect.DeepEqual(lost, forsaken) {
		t.Fatalf("%v are sent and %v refused", found, lost)
	}
	last := requests[len(requests)-1].GetViewport()
	if last.GetContentOffset().GetY() != 2 || last.ObservedFrameSeq != 0 {
		t.Fatalf("found %v", last)
	}
}

func TestANewSessionIsToldTheColumnsAndWhatIsExpanded(t *testing.T) {
	viewer := lostViewer()
	viewer.opening.Expansions = &layoutpb.ExpansionState{Collapsed: []string{"a", "c"}}
	apply := func(request *request, version uint64) {
		viewer.takeResult(&layoutpb.EventResult{
			EventSeq: must[uint64](t)(viewer.Send(request)), DataVersion: version})
	}
	apply(table(&layoutpb.TableChange{Order: &layoutpb.TableOrder{Ids: []string{"note"}},
		Columns: []*layoutpb.TableColumnChange{
			{Id: "year", Width: proto.Float64(80)}, {Id: "note", Hidden: proto.Bool(true)}},
	}), 0)
	apply(table(&layoutpb.TableChange{
		Columns: []*layoutpb.TableColumnChange{{Id: "year"}, {Id: "title", Width: proto.Float64(9)}}}), 0)
	apply(outline(&layoutpb.OutlineChange{Expand: []string{"a", "b"}}), 0)
	apply(outline(&layoutpb.OutlineChange{Collapse: []string{"b"}}), 0)
	// With a version the collection keeps it.
	apply(outline(&layoutpb.OutlineChange{Expand: []string{"d"}}), 4)
	opening := viewer.openingRequest().GetOpen()
	if columns := opening.Table.GetColumns(); len(columns) != 2 || columns[0].Id != "note" ||
		columns[1].GetWidth() != 9 || len(opening.Table.GetOrder().GetIds()) != 1 {
		t.Fatalf("found %v", opening.Table)
	}
	if !reflect.DeepEqual(opening.Expansions.GetExpanded(), []string{"a"}) ||
		!reflect.DeepEqual(opening.Expansions.GetCollapsed(), []string{"c", "b"}) {
		t.Fatalf("found %v", opening.Expansions)
	}
	apply(table(&layoutpb.TableChange{Reset_: true}), 0)
	if table := viewer.openingRequest().GetOpen().GetTable(); len(table.GetColumns()) > 0 || table.GetOrder() != nil {
		t.Fatalf("found %v", table)
	}
}

func TestASectionThatTheServerHasScrolledStaysThere(t *testing.T) {
	viewer := lostViewer()
	viewer.isOnline = true
	told := viewer.take(&layoutpb.StreamLayoutResponse{Message: &layoutpb.StreamLayoutResponse_ScrollTarget{
		ScrollTarget: &layoutpb.ScrollTarget{SectionOffset: &layoutpb.SectionOffset{Section: 3, Offset: 70}}}})
	if _, ok := told.(*Message); !ok {
		t.Fatalf("%v is told", told)
	}
	offsets := viewer.openingRequest().GetOpen().GetViewport().GetSectionOffsets()
	if len(offsets) != 1 || offsets[0].Section != 3 || offsets[0].Offset != 70 {
		t.Fatalf("found %v", offsets)
	}
}

func TestAnOpeningHasTheNewestOffsetsOfSections(t *testing.T) {
	var viewport *layoutpb.ViewportChange
	note := func(section uint32) {
		viewport = mergedViewport(viewport, &layoutpb.ViewportChange{
			SectionOffsets: []*layoutpb.SectionOffset{{Section: section, Offset: 1}}})
	}
	for section := uint32(0); section < 5000; section++ {
		note(section)
	}
	note(1000)
	offsets := viewport.SectionOffsets
	if len(offsets) != 4096 || offsets[0].Section != 904 || offsets[4095].Section != 1000 {
		t.Fatalf("found %d offsets", len(offsets))
	}
}

func TestAnEventThatWasNotSentIsTakenBackWhenItsAnswerIsLate(t *testing.T) {
	address := startFake(t, nil, func(stream serverStream, _ *request) error {
		if err := say(stream, opened(created), framed(packedFrame())); err != nil {
			return err
		}
		return until(stream, func(*request) bool { return false })
	})
	viewer := openFake(t, address)
	defer viewer.cancel()
	late := func() uint64 {
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		defer cancel()
		_, err := viewer.Perform(ctx, &request{Event: &layoutpb.StreamLayoutRequest_Update{
			Update: &layoutpb.UpdateBatch{}}})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("%v found", err)
		}
		return viewer.lastEvent
	}
	if viewer.pending.unsettled(late()) == nil {
		t.Fatal("an event that may be applied was taken back")
	}
	viewer.mu.Lock()
	viewer.isOnline = false
	viewer.mu.Unlock()
	if viewer.pending.unsettled(late()) != nil {
		t.Fatal("an event that nobody waits for will be sent")
	}
}

func TestATokenThatEndsIsFollowedByAnotherOne(t *testing.T) {
	ended := status.Error(codes.Unauthenticated, "the token has ended")
	opens := func(stream serverStream, _ *request) error {
		if err := say(stream, opened(created), framed(packedFrame())); err != nil {
			return err
		}
		return ended
	}
	address := startFake(t, nil, opens, func(stream serverStream, _ *request) error {
		if err := say(stream, opened(resumed)); err != nil {
			return err
		}
		return ended
	})
	viewer := openFake(t, address)
	if arrival, ok := must[Arrival](t)(viewer.Next(limited(t))).(*Reconnected); !ok {
		t.Fatalf("%+v found", arrival)
	}
	// The other one was of no use, so there is no third stream.
	if _, err := viewer.Next(limited(t)); status.Code(err) != codes.Unauthenticated {
		t.Fatalf("%v found", err)
	}
}

func TestSettlingWaitsForAnAnswer(t *testing.T) {
	address := startFake(t, nil, func(stream serverStream, _ *request) error {
		if err := say(stream, opened(created), framed(packedFrame())); err != nil {
			return err
		}
		var sync uint64
		err := until(stream, func(r *request) bool {
			sync = r.EventSeq
			return r.GetSync() != nil
		})
		if err != nil {
			return err
		}
		return say(stream, &layoutpb.StreamLayoutResponse{Message: &layoutpb.StreamLayoutResponse_EventResult{
			EventResult: &layoutpb.EventResult{EventSeq: sync}}})
	})
	viewer := openFake(t, address)
	defer viewer.cancel()
	if err := viewer.Settle(limited(t)); err != nil {
		t.Fatal(err)
	}
}

func TestClosingDoesNotWaitForAStreamThatIsNotOpen(t *testing.T) {
	isLeft := make(chan bool, 1)
	address := startFake(t, nil, func(stream serverStream, _ *request) error {
		if err := say(stream, opened(created), framed(packedFrame())); err != nil {
			return err
		}
		return status.Error(codes.Unavailable, "the stream breaks")
	}, func(stream serverStream, _ *request) error {
		err := until(stream, func(*request) bool { return false })
		isLeft <- status.Code(err) == codes.Canceled
		return nil
	})
	viewer := openFake(t, address)
	ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
	defer cancel()
	_, _ = viewer.Next(ctx)
	begun := time.Now()
	if err := viewer.Close(); err != nil {
		t.Fatal(err)
	}
	if time.Since(begun) > 500*time.Millisecond {
		t.Errorf("closing took %v", time.Since(begun))
	}
	if !<-isLeft {
		t.Error("the stream was ended as one whose session is open")
	}
}

func TestWhatLeftWithARefusedFrameIsToldWithTheNextOne(t *testing.T) {
	mirror := NewMirror(64, Limits{})
	first := must[*Change](t)(mirror.Apply(packedFrame()))
	slot := first.Upserted[0]
	_, err := mirror.Apply(&layoutpb.LayoutFrame{FrameSeq: 2, BaseFrameSeq: 1, LiveCount: 99,
		Body: &layoutpb.LayoutFrame_Elements{Elements: &layoutpb.ElementChanges{RemovedSlots: []uint32{slot}}}})
	if err == nil {
		t.Fatal("a frame with another number of elements was applied")
	}
	next := packedFrame()
	next.FrameSeq = 3
	change := must[*Change](t)(mirror.Apply(next))
	if len(change.Removed) != len(first.Upserted) || change.Removed[0].Slot != slot {
		t.Fatalf("%d of %d elements are told, %v first", len(change.Removed), len(first.Upserted), change.Removed[0])
	}
}
