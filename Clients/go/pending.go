// SPDX-License-Identifier: Apache-2.0

package layoutclient

import (
	"collectionlayout.example/layoutclient/layoutpb"
	"google.golang.org/protobuf/proto"
)

// pendingEvents are the events that may have to be sent again on a new stream, in order.
type pendingEvents struct {
	events []pendingEvent
	// The newest event that is known to be applied, along with all before it.
	applied uint64
}

type pendingEvent struct {
	request *layoutpb.StreamLayoutRequest
	// Whether an answer is still to come. Viewport changes have none.
	isUnanswered bool
	// Whether the answer to a scroll target request has come, which its result follows.
	hasTarget bool
}

// add adds a request. Consecutive viewport changes are merged into one.
func (p *pendingEvents) add(request *layoutpb.StreamLayoutRequest) {
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
	p.events = append(p.events, pendingEvent{request: request, isUnanswered: change == nil})
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
	for _, pending := range p.events {
		if pending.request.EventSeq > last {
			requests = append(requests, pending.request)
		}
	}
	return requests
}

// handOver settles the events for a new session that replaces the old one: `repeated` are sent to it, and
// `forsaken` made sense in the old session only. Its opening has the viewport and what has been answered.
func (p *pendingEvents) handOver() (repeated []*layoutpb.StreamLayoutRequest, forsaken []uint64) {
	var kept []pendingEvent
	for _, pending := range p.events {
		request := pending.request
		switch request.Event.(type) {
		case *layoutpb.StreamLayoutRequest_Update, *layoutpb.StreamLayoutRequest_ScrollTarget,
			*layoutpb.StreamLayoutRequest_Resync, *layoutpb.StreamLayoutRequest_Close,
			*layoutpb.StreamLayoutRequest_Layout, *layoutpb.StreamLayoutRequest_Options:
			if pending.isUnanswered {
				kept, repeated = append(kept, pending), append(repeated, request)
			}
		case *layoutpb.StreamLayoutRequest_Viewport:
		default:
			if pending.isUnanswered {
				forsaken = append(forsaken, request.EventSeq)
			}
		}
	}
	p.events, p.applied = kept, 0
	return repeated, forsaken
}

// mergedViewport returns a change and a newer one combined: of each field the newer value counts.
func mergedViewport(older, newer *layoutpb.ViewportChange) *layoutpb.ViewportChange {
	merged := &layoutpb.ViewportChange{}
	proto.Merge(merged, newer)
	if older == nil {
		return merged
	}
	if newer.ContentOffset == nil && older.ContentOffset != nil {
		// The frame belongs to the offset that was read in it.
		merged.ContentOffset, merged.ObservedFrameSeq = older.ContentOffset, older.ObservedFrameSeq
	}
	if newer.Size == nil {
		merged.Size = older.Size
	}
	if newer.ContentInsets == nil {
		merged.ContentInsets = older.ContentInsets
	}
	if newer.Velocity == nil {
		merged.Velocity = older.Velocity
	}
	if newer.Traits == nil {
		merged.Traits = older.Traits
	}
	if newer.SafeAreaInsets == nil {
		merged.SafeAreaInsets = older.SafeAreaInsets
	}
	if newer.LayoutMargins == nil {
		merged.LayoutMargins = older.LayoutMargins
	}
	if newer.ReadableContentWidth == nil {
		merged.ReadableContentWidth = older.ReadableContentWidth
	}
	named := map[uint32]bool{}
	for _, offset := range newer.SectionOffsets {
		named[offset.Section] = true
	}
	for _, offset := range older.SectionOffsets {
		if !named[offset.Section] {
			merged.SectionOffsets = append(merged.SectionOffsets, offset)
		}
	}
	return merged
}
