// SPDX-License-Identifier: Apache-2.0

package layoutclient

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"sync"
	"time"

	"collectionlayout.example/layoutclient/layoutpb"
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
	opening *layoutpb.OpenSession
	// rejectedInRow counts frames in a row that did not fit the mirror.
	rejectedInRow int
	// leavesLayoutOut and leavesOptionsOut tell what the last opening left out: a new session has the defaults
	// of these.
	leavesLayoutOut, leavesOptionsOut bool
	// nextLayout is where a transition ends.
	nextLayout *layoutpb.LayoutSpec
	session    string
	token      []byte
	lastEvent  uint64
	// openedAt is the newest event that the last opening contains.
	openedAt uint64
	// isBehind is set while the mirror lacks a frame that was rejected.
	isBehind bool
	// hasRenewed is set if a token was refused since the last stream that worked for a while.
	hasRenewed bool
	pending    pendingEvents
	waiting    map[uint64]chan *Result
	arrivals   []Arrival
	anchor     *screenAnchor
	// restoredBy is the number of the last event that scrolled to where the items in sight were.
	restoredBy uint64
	err        error
	isClosing  bool

	// stream is nil between two attempts to connect.
	stream *stream
	// isOnline is set once the stream's session is open. Until then events are pending.
	isOnline bool
	retryAt  time.Time
	backoff  retryDelay
	// serverDelay is what the server asked for before the next attempt; the backoff may be longer.
	serverDelay time.Duration
	attempts    int
	patience    time.Duration
}

const (
	// How many attempts to open a session are made, with each server, if connections break.
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

// Open opens a session, and returns once the first frame has been applied, which Next reports. The session ends
// with ctx, or when the viewer is closed.
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
		backoff:  retryDelay{servers: c.servers()},
	}
	for _, option := range options {
		option(v)
	}
	v.mirror = NewMirror(0, v.limits)
	v.ctx, v.cancel = context.WithCancel(ctx)
	for isOpen := false; !isOpen; {
		if err := v.advance(v.ctx); err != nil {
			v.cancel()
			return nil, err
		}
		v.Read(func(mirror *Mirror, _ Point) { isOpen = mirror.frameSeq > 0 })
		// A faulty server may say much and never send a frame.
		v.forgetOldArrivals()
	}
	return v, nil
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

// Read calls body with the mirror, and with the content offset that belongs to it. Frames wait meanwhile, so body
// must be short and not call the viewer.
func (v *Viewer) Read(body func(mirror *Mirror, offset Point)) {
	v.mu.Lock()
	defer v.mu.Unlock()
	body(v.mirror, v.offset)
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
	v.pending.add(request, v.isOnline)
	if v.isOnline {
		v.stream.send(request)
	}
	return v.lastEvent, nil
}

// note keeps the viewport with which a later stream has to be opened.
func (v *Viewer) note(request *layoutpb.StreamLayoutRequest) error {
	switch event := request.Event.(type) {
	case *layoutpb.StreamLayoutRequest_Viewport:
		opening := v.changedOpening()
		opening.Viewport = mergedViewport(opening.Viewport, event.Viewport)
		v.opening = opening
		if event.Viewport.GetContentOffset() != nil {
			v.offset = pointOf(event.Viewport.ContentOffset)
		}
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
	}
	return nil
}

// changedOpening returns a copy of the opening that may be changed.
func (v *Viewer) changedOpening() *layoutpb.OpenSession {
	return &layoutpb.OpenSession{
		Source: v.opening.Source, Capabilities: v.opening.Capabilities, Options: v.opening.Options,
		Layout: v.opening.Layout, Viewport: v.opening.Viewport, Start: v.opening.Start,
		Expansions: v.opening.Expansions, LayoutName: v.opening.LayoutName, Table: v.opening.Table,
		Renderer: v.opening.Renderer,
	}
}

// noteApplied keeps what a later stream has to be opened with, once the server has applied it.
func (v *Viewer) noteApplied(request *layoutpb.StreamLayoutRequest, result *layoutpb.EventResult) {
	opening := v.changedOpening()
	switch event := request.Event.(type) {
	case *layoutpb.StreamLayoutRequest_Layout:
		opening.Layout, opening.LayoutName = event.Layout.GetLayout(), event.Layout.GetLayoutName()
		v.leavesLayoutOut = false
	case *layoutpb.StreamLayoutRequest_Transition:
		switch step := event.Transition.Step.(type) {
		case *layoutpb.InteractiveTransition_Begin:
			v.nextLayout = step.Begin
		case *layoutpb.InteractiveTransition_Finish:
			// A transition that is finished leaves its layout.
			if v.nextLayout != nil {
				opening.Layout, opening.LayoutName = v.nextLayout, ""
			}
			v.nextLayout = nil
		case *layoutpb.InteractiveTransition_Cancel:
			v.nextLayout = nil
		}
	case *layoutpb.StreamLayoutRequest_Options:
		opening.Options = event.Options
		v.leavesOptionsOut = false
		v.patience = patienceFor(event.Options)
	case *layoutpb.StreamLayoutRequest_Table:
		opening.Table = mergedTable(opening.Table, event.Table)
	case *layoutpb.StreamLayoutRequest_Outline:
		// With a version the expansions are shared: the collection keeps them.
		if result.GetDataVersion() != 0 {
			return
		}
		opening.Expansions = mergedExpansions(opening.Expansions, event.Outline)
	default:
		return
	}
	v.opening = opening
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
