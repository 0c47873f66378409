// SPDX-License-Identifier: Apache-2.0

package layoutclient

import "collectionlayout.example/layoutclient/layoutpb"

// pendingEvents are the events that may have to be sent again on a new stream, in order.
type pendingEvents struct {
	events []pendingEvent
	// The newest event that is known to be applied, along with all before it.
	applied uint64
}

type pendingEvent struct {
	request *layoutpb.StreamLayoutRequest
	// Whether it was sent, on whichever stream.
	wasSent bool
	// Whether an answer is still to come. Viewport changes have none.
	isUnanswered bool
	// Whether the answer to a scroll target request has come, which its result follows.
	hasTarget bool
}

// add adds a request, which is sent at once or later. Consecutive viewport changes are merged into one.
func (p *pendingEvents) add(request *layoutpb.StreamLayoutRequest, isSent bool) {
	change := request.GetViewport()
	last := len(p.events) - 1
	if change != nil && last >= 0 && p.events[last].request.GetViewport() != nil {
		// The requests themselves may be on their way.
		p.events[last].request = &layoutpb.StreamLayoutRequest{
			EventSeq: request.EventSeq,
			Event: &layoutpb.StreamLayoutRequest_Viewport{
				Viewport: mergedViewport(p.events[last].request.GetViewport(), change),
			},
		}
		return
	}
	p.events = append(p.events, pendingEvent{request: request, wasSent: isSent, isUnanswered: change == nil})
}

// withdraw takes back an event for whose answer nobody waits any more, unless it was sent and may be applied.
func (p *pendingEvents) withdraw(event uint64) {
	for index, pending := range p.events {
		if pending.request.EventSeq == event && !pending.wasSent {
			p.events = append(p.events[:index:index], p.events[index+1:]...)
			return
		}
	}
}

// setApplied notes that the server has applied all events up to this one.
func (p *pendingEvents) setApplied(event uint64) {
	if event > p.applied {
		p.applied = event
	}
	kept := p.events[:0]
	for _, pending := range p.events {
		if pending.isUnanswered || pending.request.EventSeq > p.applied {
			kept = append(kept, pending)
		}
	}
	for index := len(kept); index < len(p.events); index++ {
		p.events[index] = pendingEvent{}
	}
	p.events = kept
}

// answered notes the result of an event. It returns false if the same result came before.
func (p *pendingEvents) answered(event uint64, isRefusal bool) bool {
	// The server answers a viewport change only if it refuses it, so such an answer is always new.
	isNew := isRefusal
	for index := range p.events {
		pending := &p.events[index]
		if pending.request.EventSeq == event && pending.isUnanswered {
			isNew, pending.isUnanswered = true, false
		}
	}
	p.setApplied(event)
	return isNew
}

// unsettled returns the request of an event that is not settled; nil = there is none.
func (p *pendingEvents) unsettled(event uint64) *layoutpb.StreamLayoutRequest {
	for _, pending := range p.events {
		if pending.request.EventSeq == event {
			return pending.request
		}
	}
	return nil
}

// hasUnanswered tells whether a request that meets a condition has no answer yet.
func (p *pendingEvents) hasUnanswered(matches func(*layoutpb.StreamLayoutRequest) bool) bool {
	for _, pending := range p.events {
		if pending.isUnanswered && matches(pending.request) {
			return true
		}
	}
	return false
}

func setsLayout(request *layoutpb.StreamLayoutRequest) bool { return request.GetLayout() != nil }

func setsOptions(request *layoutpb.StreamLayoutRequest) bool { return request.GetOptions() != nil }

// isTransition tells whether a request is a step of a transition, which may change the session's layout.
func isTransition(request *layoutpb.StreamLayoutRequest) bool { return request.GetTransition() != nil }

// foundTarget notes the answer to a scroll target request. It returns false if the same answer came before.
func (p *pendingEvents) foundTarget(event uint64) bool {
	for index := range p.events {
		pending := &p.events[index]
		if pending.request.EventSeq == event && pending.isUnanswered && !pending.hasTarget {
			pending.hasTarget = true
			return true
		}
	}
	return false
}

// missed returns the requests to send again to the same session, which has received events up to `last`. The
// server repeats answers that were lost.
func (p *pendingEvents) missed(last uint64) []*layoutpb.StreamLayoutRequest {
	var requests []*layoutpb.StreamLayoutRequest
	for index := range p.events {
		if pending := &p.events[index]; pending.request.EventSeq > last {
			pending.wasSent = true
			requests = append(requests, pending.request)
		}
	}
	return requests
}

// isOfOneSession tells whether only the session for which it was meant can apply an event: it names slots, or is a
// step of something that ended with the session.
func isOfOneSession(request *layoutpb.StreamLayoutRequest) bool {
	switch event := request.Event.(type) {
	case *layoutpb.StreamLayoutRequest_Measurements, *layoutpb.StreamLayoutRequest_Movement,
		*layoutpb.StreamLayoutRequest_Transition:
		return true
	case *layoutpb.StreamLayoutRequest_Outline:
		return len(event.Outline.GetToggledSlots()) > 0
	}
	return false
}

// handOver settles the events for a new session that replaces the old one: `repeated` are sent to it, and
// `forsaken` made sense in the old session only. Its opening has what has been answered, and the viewport up to the
// event `opened`.
func (p *pendingEvents) handOver(opened uint64) (repeated []*layoutpb.StreamLayoutRequest, forsaken []uint64) {
	var kept []pendingEvent
	for _, pending := range p.events {
		request := pending.request
		switch change := request.GetViewport(); {
		case change != nil && request.EventSeq <= opened, change == nil && !pending.isUnanswered:
			continue
		case isOfOneSession(request):
			forsaken = append(forsaken, request.EventSeq)
			continue
		case change != nil:
			// It names a frame of the old session.
			request = &layoutpb.StreamLayoutRequest{EventSeq: request.EventSeq,
				Event: &layoutpb.StreamLayoutRequest_Viewport{Viewport: mergedViewport(nil, change)}}
			request.GetViewport().ObservedFrameSeq = 0
		}
		kept = append(kept, pendingEvent{request: request, wasSent: true, isUnanswered: pending.isUnanswered})
		repeated = append(repeated, request)
	}
	p.events, p.applied = kept, 0
	return repeated, forsaken
}
