// SPDX-License-Identifier: Apache-2.0

package layoutclient

import "collectionlayout.example/layoutclient/layoutpb"

// An Arrival is what a viewer was told: *Change, *Rejection, *Result, *Reconnected or *Message.
type Arrival interface{ isArrival() }

// A Rejection is a frame that does not fit the mirror. The viewer has rejected it, and a keyframe follows.
type Rejection struct{ Err *FrameError }

// A Result is the fate of an event.
type Result struct {
	EventSeq uint64
	// Problem is why the event was refused; nil = it was applied.
	Problem *Problem
	// DataVersion is the version that an applied update led to.
	DataVersion uint64
	// Duplicate is set if the update had been applied before.
	Duplicate bool
}

// Reconnected says that the stream broke and a new one is open. Events that had not been applied were sent
// again.
type Reconnected struct {
	// Outcome is RESUMED, RESUMED_WITH_KEYFRAME or RESET. After RESET the session is a new one on the same
	// collection: the mirror is empty, and no Change names the elements that the old one had. Measurements,
	// interactive movements, candidates and sightings of the old one are gone. The offset is restored by the
	// keys of visible items.
	Outcome layoutpb.SessionOpened_Outcome
}

// A Message is anything else that the server says: a scroll target, a heartbeat, a notice, items to get ready,
// or elements that were seen.
type Message struct{ *layoutpb.StreamLayoutResponse }

func (*Change) isArrival()      {}
func (*Rejection) isArrival()   {}
func (*Result) isArrival()      {}
func (*Reconnected) isArrival() {}
func (*Message) isArrival()     {}
