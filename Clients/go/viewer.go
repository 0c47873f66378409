// SPDX-License-Identifier: Apache-2.0

package layoutclient

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"collectionlayout.example/layoutclient/layoutpb"
	"google.golang.org/protobuf/proto"
)

// A Viewer is an open session. It keeps a mirror of the elements, acknowledges frames, answers heartbeats, and
// reconnects when its stream breaks.
//
// A viewer reads only while Next, Perform or Settle runs. Until then messages stay in the connection, and the
// server merges later changes into one frame. All methods can be called from several goroutines.
type Viewer struct {
	client *Client
	limits Limits
	ctx    context.Context
	cancel context.CancelFunc
	// turn is held by whoever reads the stream.
	turn chan struct{}

	mu     sync.Mutex
	mirror *Mirror
	offset Point
	// opening is the request for a new stream, with all later changes. Its messages are not changed but
	// replaced, because a stream may be sending them.
	opening   *layoutpb.OpenSession
	session   string
	token     []byte
	lastEvent uint64
	pending   pendingEvents
	waiting   map[uint64]chan *Result
	arrivals  []Arrival
	anchor    *screenAnchor
	err       error
	isClosing bool

	// stream is nil between two attempts to connect.
	stream *stream
	// isOnline is set once the stream's session is open. Until then events are pending.
	isOnline bool
	retryAt  time.Time
	backoff  retryDelay
	// serverDelay is what the server asked for before the next attempt; 0 = the backoff.
	serverDelay time.Duration
	attempts    int
	patience    time.Duration
}

const (
	// How many attempts to open a session are made if connections break.
	openingAttempts = 4
	// The least time that the server has to open a session, which may need a large layout.
	openingPatience = 45 * time.Second
)

// A ViewerOption changes what a viewer does.
type ViewerOption func(*Viewer)

// WithLimits bounds what the viewer's mirror keeps.
func WithLimits(limits Limits) ViewerOption {
	return func(v *Viewer) { v.limits = limits }
}

// Open opens a session, and returns once the first frame has been applied. The session ends with ctx, or when
// the viewer is closed.
//
// The opening needs a source, a viewport, and a layout unless the collection has one; Capabilities are used if
// it has none. It belongs to the viewer from then on. If the server refuses it, the error is a *Problem.
func (c *Client) Open(
	ctx context.Context, opening *layoutpb.OpenSession, options ...ViewerOption,
) (*Viewer, error) {
	if opening.GetCollection() == "" && opening.GetInlineContents() == nil {
		return nil, errors.New("the opening names neither a collection nor contents")
	}
	if opening.Capabilities == nil {
		opening.Capabilities = Capabilities()
	}
	v := &Viewer{
		client: c, opening: opening, offset: pointOf(opening.GetViewport().GetContentOffset()),
		turn: make(chan struct{}, 1), waiting: map[uint64]chan *Result{}, lastEvent: 1,
		patience: patienceFor(opening.GetOptions()),
	}
	for _, option := range options {
		option(v)
	}
	v.mirror = NewMirror(0, v.limits)
	v.ctx, v.cancel = context.WithCancel(ctx)
	for {
		if _, err := v.Next(v.ctx); err != nil {
			v.cancel()
			return nil, err
		}
		v.mu.Lock()
		isOpen := v.mirror.frameSeq > 0
		if isOpen {
			// The first frame is what the caller waited for.
			v.arrivals = nil
		}
		v.mu.Unlock()
		if isOpen {
			return v, nil
		}
	}
}

// patienceFor returns how long the server may say nothing: three heartbeats.
func patienceFor(options *layoutpb.SessionOptions) time.Duration {
	interval := 15 * time.Second
	if wanted := options.GetHeartbeatInterval(); wanted != nil {
		interval = wanted.AsDuration()
	}
	if interval < time.Second {
		interval = time.Second
	} else if interval > time.Minute {
		interval = time.Minute
	}
	return 3 * interval
}

// MARK: State

// Read calls body with the mirror. Frames wait meanwhile, so body must be short and not call the viewer.
func (v *Viewer) Read(body func(mirror *Mirror)) {
	v.mu.Lock()
	defer v.mu.Unlock()
	body(v.mirror)
}

// Offset returns the content offset of the viewport, with the adjustments of all frames so far.
func (v *Viewer) Offset() Point {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.offset
}

// Session returns the name of the session, "sessions/{session}", for layoutpb.LayoutTarget. It changes when a
// new session replaces one that was lost.
func (v *Viewer) Session() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.session
}

// IsOnline reports whether the stream is open. While it is not, events wait for the next one.
func (v *Viewer) IsOnline() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.isOnline
}

// MARK: Sending

// Send sends an event and returns its number, by which Results name it. The message, which must be the only use
// of its contents, belongs to the viewer from then on. Updates without a request_id get one, so that they are
// applied once even if they are sent twice.
//
// It fails only if the session has ended, or if the request contains no event or OpenSession.
func (v *Viewer) Send(request *layoutpb.StreamLayoutRequest) (uint64, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.send(request)
}

func (v *Viewer) send(request *layoutpb.StreamLayoutRequest) (uint64, error) {
	if request.GetEvent() == nil || request.GetOpen() != nil {
		return 0, errors.New("a request needs an event that does not open a session")
	}
	if v.err != nil {
		return 0, v.err
	}
	if v.isClosing {
		return 0, io.EOF
	}
	if err := v.note(request); err != nil {
		return 0, err
	}
	v.lastEvent++
	request.EventSeq = v.lastEvent
	v.pending.add(request)
	if v.isOnline {
		v.stream.send(request)
	}
	return v.lastEvent, nil
}

// note keeps what a later stream has to be opened with.
func (v *Viewer) note(request *layoutpb.StreamLayoutRequest) error {
	opening := &layoutpb.OpenSession{
		Source: v.opening.Source, Capabilities: v.opening.Capabilities, Options: v.opening.Options,
		Layout: v.opening.Layout, Viewport: v.opening.Viewport, Start: v.opening.Start,
		Expansions: v.opening.Expansions, LayoutName: v.opening.LayoutName,
	}
	switch event := request.Event.(type) {
	case *layoutpb.StreamLayoutRequest_Viewport:
		opening.Viewport = mergedViewport(opening.Viewport, event.Viewport)
		if event.Viewport.GetContentOffset() != nil {
			v.offset = pointOf(event.Viewport.ContentOffset)
		}
	case *layoutpb.StreamLayoutRequest_Layout:
		opening.Layout, opening.LayoutName = event.Layout.GetLayout(), event.Layout.GetLayoutName()
	case *layoutpb.StreamLayoutRequest_Options:
		opening.Options = event.Options
		v.patience = patienceFor(event.Options)
	case *layoutpb.StreamLayoutRequest_Close:
		v.isClosing = true
	case *layoutpb.StreamLayoutRequest_Update:
		if event.Update.GetRequestId() == "" {
			var random [16]byte
			if _, err := rand.Read(random[:]); err != nil {
				return err
			}
			event.Update.RequestId = hex.EncodeToString(random[:])
		}
		return nil
	default:
		return nil
	}
	v.opening = opening
	return nil
}

// ScrollTo reports a new content offset.
func (v *Viewer) ScrollTo(offset Point) (uint64, error) {
	return v.Scroll(func(Point) Point { return offset })
}

// Scroll reports a new content offset, made from the current one in one step, so that an adjustment by a frame
// is not lost.
func (v *Viewer) Scroll(to func(offset Point) Point) (uint64, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.scroll(to(v.offset))
}

func (v *Viewer) scroll(offset Point) (uint64, error) {
	return v.send(&layoutpb.StreamLayoutRequest{Event: &layoutpb.StreamLayoutRequest_Viewport{
		Viewport: &layoutpb.ViewportChange{
			ObservedFrameSeq: v.mirror.frameSeq, ContentOffset: offset.message(),
		},
	}})
}

// Resize reports a new size of the view.
func (v *Viewer) Resize(size Size) (uint64, error) {
	return v.Send(&layoutpb.StreamLayoutRequest{Event: &layoutpb.StreamLayoutRequest_Viewport{
		Viewport: &layoutpb.ViewportChange{
			Size: &layoutpb.Size{Width: size.Width, Height: size.Height},
		},
	}})
}

// Update changes the data.
func (v *Viewer) Update(batch *layoutpb.UpdateBatch) (uint64, error) {
	return v.Send(&layoutpb.StreamLayoutRequest{
		Event: &layoutpb.StreamLayoutRequest_Update{Update: batch},
	})
}

// ChangeLayout takes another layout, or a named one.
func (v *Viewer) ChangeLayout(change *layoutpb.LayoutChange) (uint64, error) {
	return v.Send(&layoutpb.StreamLayoutRequest{
		Event: &layoutpb.StreamLayoutRequest_Layout{Layout: change},
	})
}

// MARK: Receiving

// Next waits for what the server says next, and applies it. If the stream breaks, it reconnects, however long
// that takes.
//
// The error is ctx's if that is done; the session then goes on, and Next can be called again. It is io.EOF if
// the viewer was closed, and otherwise why the session ended: a *Problem if the server ended it.
func (v *Viewer) Next(ctx context.Context) (Arrival, error) {
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
// The error is a *Problem if the event is refused, and otherwise as for Next. Viewport changes have no result,
// so they are not accepted.
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
			return nil, err
		}
	}
}

// Settle waits until the mirror reflects all events that were sent before. Next reports what arrived meanwhile,
// as after Perform.
//
// The server sends frames only for changes, so Settle sends options that change nothing and waits for their
// result. Frames come before the results of the events that they reflect, unless too many are unacknowledged;
// then they come before the next result.
func (v *Viewer) Settle(ctx context.Context) error {
	v.mu.Lock()
	sent := v.lastEvent
	v.mu.Unlock()
	for probe := 0; probe < 3; probe++ {
		v.mu.Lock()
		options := v.opening.Options
		isSettled := probe > 0 && v.mirror.appliedEvent >= sent
		v.mu.Unlock()
		if isSettled {
			break
		}
		if options == nil {
			options = &layoutpb.SessionOptions{}
		}
		_, err := v.Perform(ctx, &layoutpb.StreamLayoutRequest{
			Event: &layoutpb.StreamLayoutRequest_Options{Options: options},
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Close ends the session and discards it. It waits at most a second for the server.
func (v *Viewer) Close() error {
	_, err := v.Send(&layoutpb.StreamLayoutRequest{Event: &layoutpb.StreamLayoutRequest_Close{
		Close: &layoutpb.CloseSession{Discard: true},
	}})
	v.mu.Lock()
	stream := v.stream
	v.mu.Unlock()
	if err == nil && stream != nil {
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

// MARK: Streams

// connect waits until the next attempt is due and begins it.
func (v *Viewer) connect(ctx context.Context) error {
	v.mu.Lock()
	wait := time.Until(v.retryAt)
	v.mu.Unlock()
	if wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-v.ctx.Done():
		case <-ctx.Done():
			return ctx.Err()
		}
		v.client.retryNow()
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.isClosing {
		v.err = io.EOF
	} else {
		v.err = v.ctx.Err()
	}
	if v.err != nil {
		return v.err
	}
	v.attempts++
	v.stream = newStream(v.ctx, v.client, v.opening.GetCollection())
	v.stream.send(v.openingRequest())
	return nil
}

// openingRequest returns the first request of a stream: a resume if there is a session to go on with.
func (v *Viewer) openingRequest() *layoutpb.StreamLayoutRequest {
	opening := &layoutpb.OpenSession{}
	proto.Merge(opening, v.opening)
	request := &layoutpb.StreamLayoutRequest{
		Event: &layoutpb.StreamLayoutRequest_Open{Open: opening},
	}
	if v.session == "" {
		request.EventSeq = 1
		return request
	}
	if opening.Viewport == nil {
		opening.Viewport = &layoutpb.ViewportChange{}
	}
	opening.Viewport.ObservedFrameSeq = 0
	if len(v.token) > 0 {
		checksum := v.mirror.checksum
		opening.Source = &layoutpb.OpenSession_Resume{Resume: &layoutpb.ResumeRequest{
			ResumeToken: v.token, LastFrameSeq: v.mirror.frameSeq, LastEventSeq: v.lastEvent,
			StateChecksum: &checksum, LiveCount: uint32(v.mirror.Len()),
		}}
		opening.Viewport.ObservedFrameSeq = v.mirror.frameSeq
	}
	// Before its first frame a session begins where the lost one was to.
	if opening.Start == nil || v.mirror.frameSeq > 0 {
		opening.Start = nil
		opening.Viewport.ContentOffset = v.offset.message()
	}
	return request
}

// breakOff ends the stream, and the session too if the error says that another stream is of no use.
func (v *Viewer) breakOff(err error) {
	v.stream.cancel()
	v.stream, v.isOnline = nil, false
	if v.isClosing {
		v.err = io.EOF
		return
	}
	if v.ctx.Err() != nil {
		v.err = v.ctx.Err()
		return
	}
	if err == io.EOF {
		err = broken("the server ended the stream without a reason")
	}
	var problem *Problem
	errors.As(err, &problem)
	reason := ReasonOf(err)
	isLost := v.opening.GetCollection() != "" && len(v.token) > 0 &&
		(reason == "RESUME_TOKEN_INVALID" || reason == "SESSION_EXPIRED")
	switch {
	case isLost:
		// A new session on the same collection.
		v.token = nil
	case !isPassing(err), v.session == "" && v.attempts >= openingAttempts:
		v.err = err
		return
	}
	wait := v.backoff.next()
	if v.serverDelay > 0 {
		wait, v.serverDelay = v.serverDelay, 0
	} else if problem != nil && problem.RetryDelay > wait {
		wait = problem.RetryDelay
	}
	v.retryAt = time.Now().Add(wait)
}

// takeOpened begins or goes on with a session.
func (v *Viewer) takeOpened(opened *layoutpb.SessionOpened) Arrival {
	if v.isOnline {
		return nil
	}
	before, isFirst := v.mirror, v.session == ""
	units := float64(opened.GetUnitsPerPoint())
	if opened.GetSession() != v.session || units != 0 && units != v.mirror.unitsPerPoint {
		v.mirror = NewMirror(opened.GetUnitsPerPoint(), v.limits)
	} else {
		v.mirror.forgetParts()
	}
	v.session, v.token = opened.GetSession(), opened.GetResumeToken()
	v.isOnline = true
	v.attempts = 0
	v.backoff.reset()
	v.patience = patienceFor(opened.GetOptions())
	if isFirst {
		return nil
	}
	outcome := opened.GetOutcome()
	switch outcome {
	case layoutpb.SessionOpened_OUTCOME_RESUMED,
		layoutpb.SessionOpened_OUTCOME_RESUMED_WITH_KEYFRAME:
		v.pending.setApplied(opened.GetLastEventSeq())
		v.sendAgain(v.pending.missed(opened.GetLastEventSeq()))
	default:
		// A session that was opened anew, after the token was refused, is one that was created.
		outcome = layoutpb.SessionOpened_OUTCOME_RESET
		visible := Rect{v.offset.X, v.offset.Y, v.opening.GetViewport().GetSize().GetWidth(),
			v.opening.GetViewport().GetSize().GetHeight()}
		v.anchor = anchorOf(before, visible, v.opening.GetOptions().GetAnchorMode())
		repeated, granted, forsaken := v.pending.handOver()
		for _, sequence := range granted {
			v.tell(&Result{EventSeq: sequence, DataVersion: before.dataVersion})
		}
		for _, sequence := range forsaken {
			v.tell(&Result{EventSeq: sequence, Problem: problemOf(&layoutpb.Problem{
				Code: 5, Reason: "SESSION_EXPIRED",
				Message: "the session for which this event was meant is gone",
			})})
		}
		v.sendAgain(repeated)
	}
	return &Reconnected{outcome}
}

func (v *Viewer) sendAgain(requests []*layoutpb.StreamLayoutRequest) {
	for _, request := range requests {
		v.stream.send(request)
	}
}

// MARK: Responses

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
		if !v.pending.foundTarget(message.ScrollTarget.GetEventSeq()) {
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

func (v *Viewer) takeFrame(frame *layoutpb.LayoutFrame) Arrival {
	change, err := v.mirror.Apply(frame)
	var fault *FrameError
	if errors.As(err, &fault) {
		v.acknowledge(&layoutpb.FrameAck{FrameSeq: frame.GetFrameSeq(), Rejected: true})
		return &Rejection{fault}
	}
	if change == nil {
		return nil
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
			_, _ = v.scroll(v.offset.plus(displacement))
		}
	}
	return change
}

func (v *Viewer) takeResult(message *layoutpb.EventResult) Arrival {
	if !v.pending.answered(message.GetEventSeq(), message.GetProblem() != nil) {
		return nil
	}
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
		v.acknowledgeMirror()
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

// String names the session and the state of the viewer, for logs.
func (v *Viewer) String() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return fmt.Sprintf("%s: frame %d, version %d, %d elements", v.session, v.mirror.frameSeq,
		v.mirror.dataVersion, v.mirror.Len())
}
