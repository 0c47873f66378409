// SPDX-License-Identifier: Apache-2.0

package layoutclient

import (
	"context"
	"errors"
	"io"
	"time"

	"collectionlayout.example/layoutclient/layoutpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

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
	v.openedAt = v.lastEvent
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
	v.leavesLayoutOut, v.leavesOptionsOut = false, false
	if len(v.token) > 0 {
		// What has no answer yet may be applied already: the session knows best what it has.
		v.leavesLayoutOut = v.pending.hasUnanswered(setsLayout) || v.pending.hasUnanswered(isTransition)
		v.leavesOptionsOut = v.pending.hasUnanswered(setsOptions)
		if v.leavesLayoutOut {
			opening.Layout, opening.LayoutName = nil, ""
		}
		if v.leavesOptionsOut {
			opening.Options = nil
		}
		checksum := v.mirror.checksum
		opening.Source = &layoutpb.OpenSession_Resume{Resume: &layoutpb.ResumeRequest{
			ResumeToken: v.token, LastFrameSeq: v.mirror.frameSeq, LastEventSeq: v.lastEvent,
			StateChecksum: &checksum, LiveCount: uint32(v.mirror.Len()),
		}}
		opening.Viewport.ObservedFrameSeq = v.mirror.frameSeq
	}
	// Before the first frame a session begins where the lost one was to.
	if opening.Start == nil {
		opening.Viewport.ContentOffset = v.offset.message()
	}
	return request
}

// breakOff ends the stream, and the session too if the error says that another stream is of no use.
func (v *Viewer) breakOff(err error) {
	v.stream.cancel()
	wasOpen, now, triesAtOnce := v.isOnline, time.Now(), false
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
		(reason == "RESUME_TOKEN_INVALID" || reason == "SESSION_EXPIRED" ||
			// A collection without a default layout cannot be shown without one.
			v.leavesLayoutOut && reason == "LAYOUT_KIND_UNKNOWN")
	v.hasRenewed = v.hasRenewed && !v.backoff.hasWorked(now)
	switch {
	case isLost:
		// A new session on the same collection. The server that has refused to resume the old one can open it at
		// once; one that ends what it has just opened is a faulty one.
		v.token, triesAtOnce = nil, !wasOpen
	case v.mayRenew(err):
		v.hasRenewed, triesAtOnce = true, true
	case !isPassing(err), v.session == "" && v.attempts >= openingAttempts*v.client.servers():
		v.err = err
		return
	}
	if triesAtOnce {
		v.backoff.ended(now)
		v.serverDelay, v.retryAt = 0, now
		return
	}
	wait := v.backoff.next(now)
	asked := v.serverDelay
	if asked == 0 && problem != nil {
		asked = problem.RetryDelay
	}
	// A server that tells each stream to come back at once is a faulty one.
	if asked > wait {
		wait = asked
	}
	v.serverDelay = 0
	v.retryAt = now.Add(wait)
}

// mayRenew reports whether another stream may have another token than the one that was refused. After another one that
// was of no use, only a stream that has worked makes that likely.
func (v *Viewer) mayRenew(err error) bool {
	return status.Code(err) == codes.Unauthenticated && v.session != "" && !v.hasRenewed
}

// takeOpened begins or goes on with a session.
func (v *Viewer) takeOpened(opened *layoutpb.SessionOpened) Arrival {
	if v.isOnline {
		return nil
	}
	before, isFirst, isResume := v.mirror, v.session == "", len(v.token) > 0
	units := float64(opened.GetUnitsPerPoint())
	if opened.GetSession() != v.session || units != 0 && units != v.mirror.unitsPerPoint {
		v.mirror = NewMirror(opened.GetUnitsPerPoint(), v.limits)
	} else {
		v.mirror.forgetParts()
	}
	v.session, v.token = opened.GetSession(), opened.GetResumeToken()
	v.isOnline = true
	v.attempts = 0
	v.backoff.succeeded(time.Now())
	v.patience = patienceFor(opened.GetOptions())
	if isFirst {
		return nil
	}
	outcome := opened.GetOutcome()
	switch outcome {
	case layoutpb.SessionOpened_OUTCOME_RESUMED,
		layoutpb.SessionOpened_OUTCOME_RESUMED_WITH_KEYFRAME:
		// The server has compared the checksum.
		if isResume && outcome == layoutpb.SessionOpened_OUTCOME_RESUMED {
			v.isBehind = false
		}
		v.leavesLayoutOut, v.leavesOptionsOut = false, false
		v.pending.setApplied(opened.GetLastEventSeq())
		v.sendAgain(v.pending.missed(opened.GetLastEventSeq()))
	default:
		// A session that was opened anew, after the token was refused, is one that was created.
		outcome = layoutpb.SessionOpened_OUTCOME_RESET
		visible := Rect{v.offset.X, v.offset.Y, v.opening.GetViewport().GetSize().GetWidth(),
			v.opening.GetViewport().GetSize().GetHeight()}
		// A session that ends before its first frame has no places: those of the one before count.
		if before.frameSeq > 0 {
			v.anchor = anchorOf(before, visible, v.opening.GetOptions().GetAnchorMode())
		}
		repeated, forsaken := v.pending.handOver(v.openedAt)
		for _, sequence := range forsaken {
			v.tell(&Result{EventSeq: sequence, Problem: problemOf(&layoutpb.Problem{
				Code: 5, Reason: "SESSION_EXPIRED",
				Message: "the session for which this event was meant is gone",
			})})
		}
		v.sendAgain(repeated)
		v.restore()
	}
	return &Reconnected{outcome}
}

// restore tells a new session what its opening left out, unless an event without an answer will tell it
// another value.
func (v *Viewer) restore() {
	// Sending fails only if the session has ended.
	if v.leavesLayoutOut && !v.pending.hasUnanswered(setsLayout) {
		v.leavesLayoutOut = false
		if v.opening.Layout != nil || v.opening.LayoutName != "" {
			_, _ = v.send(&layoutpb.StreamLayoutRequest{Event: &layoutpb.StreamLayoutRequest_Layout{
				Layout: &layoutpb.LayoutChange{Layout: v.opening.Layout, LayoutName: v.opening.LayoutName},
			}})
		}
	}
	if v.leavesOptionsOut && !v.pending.hasUnanswered(setsOptions) {
		v.leavesOptionsOut = false
		if v.opening.Options != nil {
			_, _ = v.send(&layoutpb.StreamLayoutRequest{
				Event: &layoutpb.StreamLayoutRequest_Options{Options: v.opening.Options},
			})
		}
	}
}

func (v *Viewer) sendAgain(requests []*layoutpb.StreamLayoutRequest) {
	for _, request := range requests {
		v.stream.send(request)
	}
}
