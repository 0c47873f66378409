// SPDX-License-Identifier: Apache-2.0

package layoutclient

import (
	"context"
	"errors"
	"time"

	"collectionlayout.example/layoutclient/layoutpb"
	"google.golang.org/grpc/codes"
)

// Next waits for what the server says next, and applies it. If the stream breaks, it reconnects, however long
// that takes.
//
// The error is ctx's if that is done; the session then goes on, and Next can be called again. It is io.EOF if
// the viewer was closed, and otherwise why the session ended: a *Problem if the server ended it.
func (v *Viewer) Next(ctx context.Context) (Arrival, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	select {
	case v.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-v.turn }()
	return v.next(ctx)
}

// The most arrivals that are kept for Next while Perform reads.
const maxArrivals = 64

// Perform sends an event and waits for its result, which Next does not report. Next reports what else arrived
// meanwhile, of more than 64 arrivals the newest.
//
// The error is a *Problem if the event is refused, and otherwise as for Next. After the error of ctx the event may be
// applied, unless it was never sent; then it is taken back. An update can be repeated with the RequestId that the
// caller has given it, and is applied once. Viewport changes have no result, so they are not accepted.
func (v *Viewer) Perform(
	ctx context.Context, request *layoutpb.StreamLayoutRequest,
) (*Result, error) {
	if request.GetViewport() != nil {
		return nil, errors.New("viewport changes have no result")
	}
	v.mu.Lock()
	sequence, err := v.send(request)
	answer := make(chan *Result, 1)
	if err == nil {
		v.waiting[sequence] = answer
	}
	v.mu.Unlock()
	if err != nil {
		return nil, err
	}
	defer func() {
		v.mu.Lock()
		delete(v.waiting, sequence)
		v.mu.Unlock()
	}()
	for {
		select {
		case result := <-answer:
			if result.Problem != nil {
				return result, result.Problem
			}
			return result, nil
		default:
		}
		select {
		case result := <-answer:
			answer <- result
		case v.turn <- struct{}{}:
			// Whoever had the turn may have got the answer.
			if len(answer) == 0 {
				err = v.advance(ctx)
			}
			v.forgetOldArrivals()
			<-v.turn
		case <-ctx.Done():
			err = ctx.Err()
		}
		if err != nil && len(answer) == 0 {
			v.withdraw(sequence)
			return nil, err
		}
	}
}

// withdraw takes back an event for whose result nobody waits any more.
func (v *Viewer) withdraw(event uint64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.pending.withdraw(event)
}

// Settle waits until the mirror reflects all events that were sent before. Next reports what arrived meanwhile,
// as after Perform.
//
// The server sends frames only for changes, so the absence of a frame says nothing. Settle sends a sync event, which
// is answered once everything before it has been applied and sent. After a frame that was rejected it also waits for
// the keyframe that replaces it, and in a new session until the items in sight are where they were.
func (v *Viewer) Settle(ctx context.Context) error {
	for {
		result, err := v.Perform(ctx, &layoutpb.StreamLayoutRequest{
			Event: &layoutpb.StreamLayoutRequest_Sync{Sync: &layoutpb.SyncRequest{}},
		})
		if err == nil {
			err = v.catchUp(ctx)
		}
		if err != nil || !v.hasScrolledAfter(result.EventSeq) {
			return err
		}
	}
}

// catchUp waits until no frame is lacking.
func (v *Viewer) catchUp(ctx context.Context) error {
	var err error
	for err == nil && v.lacksFrame() {
		select {
		case v.turn <- struct{}{}:
			// Whoever had the turn may have got the frame.
			if v.lacksFrame() {
				err = v.advance(ctx)
			}
			v.forgetOldArrivals()
			<-v.turn
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	return err
}

func (v *Viewer) lacksFrame() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.isBehind || v.mirror.frameSeq == 0 || v.anchor != nil
}

// hasScrolledAfter reports whether the viewer itself scrolled after an event.
func (v *Viewer) hasScrolledAfter(event uint64) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.restoredBy > event
}

// Close ends the session and discards it. It waits at most a second for the server.
func (v *Viewer) Close() error {
	_, err := v.Send(&layoutpb.StreamLayoutRequest{Event: &layoutpb.StreamLayoutRequest_Close{
		Close: &layoutpb.CloseSession{Discard: true},
	}})
	v.mu.Lock()
	stream, isOnline := v.stream, v.isOnline
	v.mu.Unlock()
	// A stream whose session is not open yet has nothing to discard.
	if err == nil && isOnline && stream != nil {
		stream.finishSending()
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		for err == nil {
			_, err = v.Next(ctx)
		}
	}
	v.cancel()
	return nil
}

func (v *Viewer) next(ctx context.Context) (Arrival, error) {
	for {
		v.mu.Lock()
		arrival := v.queued()
		v.mu.Unlock()
		if arrival != nil {
			return arrival, nil
		}
		if err := v.advance(ctx); err != nil {
			return nil, err
		}
	}
}

// advance takes one response, or connects. What it has to tell is added to the arrivals.
func (v *Viewer) advance(ctx context.Context) error {
	v.mu.Lock()
	stream, err, patience := v.stream, v.err, v.patience
	if !v.isOnline && patience < openingPatience {
		patience = openingPatience
	}
	v.mu.Unlock()
	if err != nil {
		return err
	}
	if stream == nil {
		return v.connect(ctx)
	}
	response, err := v.receive(ctx, stream, patience)
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if err != nil {
		v.breakOff(err)
	} else if arrival := v.take(response); arrival != nil {
		v.arrivals = append(v.arrivals, arrival)
	}
	return nil
}

func (v *Viewer) forgetOldArrivals() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if extra := len(v.arrivals) - maxArrivals; extra > 0 {
		v.arrivals = append([]Arrival(nil), v.arrivals[extra:]...)
	}
}

func (v *Viewer) queued() Arrival {
	if len(v.arrivals) == 0 {
		return nil
	}
	arrival := v.arrivals[0]
	v.arrivals = v.arrivals[1:]
	return arrival
}

// receive waits for a response. A server that says nothing for too long has broken the stream.
func (v *Viewer) receive(
	ctx context.Context, stream *stream, patience time.Duration,
) (*layoutpb.StreamLayoutResponse, error) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case received := <-stream.responses:
		return received.response, received.err
	case <-timer.C:
		return nil, broken("the server said nothing for %v", patience)
	case <-v.ctx.Done():
		return nil, v.ctx.Err()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// take applies a response; nil = there is nothing to tell.
func (v *Viewer) take(response *layoutpb.StreamLayoutResponse) Arrival {
	if !v.isOnline && response.GetOpened() == nil && response.GetNotice() == nil {
		return nil
	}
	switch message := response.GetMessage().(type) {
	case *layoutpb.StreamLayoutResponse_Opened:
		return v.takeOpened(message.Opened)
	case *layoutpb.StreamLayoutResponse_Frame:
		return v.takeFrame(message.Frame)
	case *layoutpb.StreamLayoutResponse_EventResult:
		return v.takeResult(message.EventResult)
	case *layoutpb.StreamLayoutResponse_ScrollTarget:
		if !v.takeTarget(message.ScrollTarget) {
			return nil
		}
	case *layoutpb.StreamLayoutResponse_Heartbeat:
		v.takeHeartbeat(message.Heartbeat)
	case *layoutpb.StreamLayoutResponse_Notice:
		if message.Notice.GetType() == layoutpb.Notice_TYPE_GOING_AWAY {
			wait := message.Notice.GetReconnectDelay()
			v.serverDelay = delay(wait.GetSeconds(), int64(wait.GetNanos()))
		}
	case nil:
		return nil
	}
	return &Message{response}
}

// takeTarget notes where to scroll. It returns false if the same answer came before.
func (v *Viewer) takeTarget(target *layoutpb.ScrollTarget) bool {
	if target.GetEventSeq() != 0 {
		return v.pending.foundTarget(target.GetEventSeq())
	}
	if target.GetSectionOffset() != nil {
		// The server scrolls a section by itself, and a new session would have to be told.
		opening := v.changedOpening()
		opening.Viewport = mergedViewport(opening.Viewport, &layoutpb.ViewportChange{
			SectionOffsets: []*layoutpb.SectionOffset{target.SectionOffset}})
		v.opening = opening
	}
	return true
}

// After so many rejected frames in a row, a rejected keyframe shows that no other one will fit.
const mostRejectedInRow = 3

func (v *Viewer) takeFrame(frame *layoutpb.LayoutFrame) Arrival {
	change, err := v.mirror.Apply(frame)
	var fault *FrameError
	if errors.As(err, &fault) {
		v.rejectedInRow++
		v.isBehind = true
		if v.rejectedInRow > mostRejectedInRow && frame.GetBaseFrameSeq() == 0 {
			v.breakOff(&Problem{Code: codes.DataLoss, Message: "frames cannot be applied: " + fault.Error()})
			return nil
		}
		v.acknowledge(&layoutpb.FrameAck{FrameSeq: frame.GetFrameSeq(), Rejected: true})
		return &Rejection{fault}
	}
	if change == nil {
		return nil
	}
	v.rejectedInRow = 0
	// Other frames build on elements that may be inconsistent.
	if change.Keyframe || frame.StateChecksum != nil {
		v.isBehind = false
	}
	if v.opening.GetStart() != nil {
		// From now on the offset says where the user is.
		opening := v.changedOpening()
		opening.Start = nil
		v.opening = opening
	}
	v.pending.setApplied(v.mirror.appliedEvent)
	v.offset = v.offset.plus(change.OffsetAdjustment)
	v.acknowledgeMirror()
	if v.anchor != nil {
		displacement := v.anchor.displacement(v.mirror)
		v.anchor = nil
		if displacement != (Point{}) {
			change.OffsetAdjustment = change.OffsetAdjustment.plus(displacement)
			// Fails only if the session has ended.
			v.restoredBy, _ = v.scroll(v.offset.plus(displacement))
		}
	}
	return change
}

func (v *Viewer) takeResult(message *layoutpb.EventResult) Arrival {
	request := v.pending.unsettled(message.GetEventSeq())
	if !v.pending.answered(message.GetEventSeq(), message.GetProblem() != nil) {
		return nil
	}
	if message.GetProblem() == nil && request != nil {
		v.noteApplied(request, message)
	}
	v.restore()
	result := &Result{EventSeq: message.GetEventSeq(), DataVersion: message.GetDataVersion(),
		Duplicate: message.GetDuplicate()}
	if message.GetProblem() != nil {
		result.Problem = problemOf(message.GetProblem())
	}
	v.tell(result)
	return nil
}

// tell hands a result to the Perform that waits for it, or to Next.
func (v *Viewer) tell(result *Result) {
	answer := v.waiting[result.EventSeq]
	if answer == nil {
		v.arrivals = append(v.arrivals, result)
		return
	}
	delete(v.waiting, result.EventSeq)
	answer <- result
}

func (v *Viewer) takeHeartbeat(heartbeat *layoutpb.Heartbeat) {
	if len(heartbeat.GetResumeToken()) > 0 {
		v.token = heartbeat.GetResumeToken()
	}
	v.pending.setApplied(heartbeat.GetAppliedEventSeq())
	if v.mirror.agrees(heartbeat) {
		if v.mirror.confirms(heartbeat) {
			v.isBehind = false
		}
		v.acknowledgeMirror()
		return
	}
	// A server that answers and does not read cannot make them pile up.
	if v.stream.isCrowded() {
		return
	}
	// One is enough until its keyframe has come.
	if v.pending.hasUnanswered(func(request *layoutpb.StreamLayoutRequest) bool { return request.GetResync() != nil }) {
		return
	}
	// Fails only if the session is being closed.
	_, _ = v.send(&layoutpb.StreamLayoutRequest{Event: &layoutpb.StreamLayoutRequest_Resync{
		Resync: &layoutpb.ResyncRequest{Reason: layoutpb.ResyncRequest_REASON_CHECKSUM},
	}})
}

func (v *Viewer) acknowledgeMirror() {
	checksum := v.mirror.checksum
	v.acknowledge(&layoutpb.FrameAck{FrameSeq: v.mirror.frameSeq, StateChecksum: &checksum})
}

func (v *Viewer) acknowledge(ack *layoutpb.FrameAck) {
	if v.isOnline {
		v.stream.send(&layoutpb.StreamLayoutRequest{Ack: ack})
	}
}
