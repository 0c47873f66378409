// SPDX-License-Identifier: Apache-2.0

package layoutclient

import (
	"context"
	"errors"
	"io"
	"sync"

	"collectionlayout.example/layoutclient/layoutpb"
	"google.golang.org/grpc/metadata"
)

// A stream is one call of StreamLayout, with a goroutine that sends and one that receives. At most one
// response waits to be read, so that a client that reads slowly gets fewer frames.
type stream struct {
	ctx       context.Context
	cancel    context.CancelFunc
	responses chan received
	// wake tells the sender that there is something to do.
	wake chan struct{}

	mu sync.Mutex
	// outbox does not grow with each message of the server that is answered, while the server does not read: of those
	// in a row that only confirm frames the newest one waits, and of rejections a limited number.
	outbox []*layoutpb.StreamLayoutRequest
	isDone bool
}

type received struct {
	response *layoutpb.StreamLayoutResponse
	err      error
}

// newStream begins a call that ends with ctx. Errors come as the last thing that is received.
func newStream(ctx context.Context, client *Client, collection string) *stream {
	if collection != "" {
		ctx = metadata.AppendToOutgoingContext(ctx, "x-layout-collection", collection)
	}
	s := &stream{responses: make(chan received), wake: make(chan struct{}, 1)}
	s.ctx, s.cancel = context.WithCancel(ctx)
	go s.run(layoutpb.NewLayoutSessionServiceClient(client))
	return s
}

func (s *stream) run(sessions layoutpb.LayoutSessionServiceClient) {
	// Ends the sender too.
	defer s.cancel()
	call, err := sessions.StreamLayout(s.ctx)
	if err != nil {
		s.deliver(received{err: err})
		return
	}
	go s.sendAll(call)
	for {
		response, err := call.Recv()
		if errors.Is(err, io.EOF) {
			err = io.EOF
		}
		if !s.deliver(received{response, err}) || err != nil {
			return
		}
	}
}

func (s *stream) deliver(what received) bool {
	select {
	case s.responses <- what:
		return true
	case <-s.ctx.Done():
		return false
	}
}

func (s *stream) sendAll(call layoutpb.LayoutSessionService_StreamLayoutClient) {
	for {
		select {
		case <-s.wake:
		case <-s.ctx.Done():
			return
		}
		s.mu.Lock()
		requests, isDone := s.outbox, s.isDone
		s.outbox = nil
		s.mu.Unlock()
		for _, request := range requests {
			if call.Send(request) != nil {
				// The receiver gets the reason.
				return
			}
		}
		if isDone {
			// The receiver gets the end of the stream.
			_ = call.CloseSend()
			return
		}
	}
}

// send queues a request.
func (s *stream) send(request *layoutpb.StreamLayoutRequest) {
	s.mu.Lock()
	s.outbox = addRequest(s.outbox, request)
	s.mu.Unlock()
	s.wakeSender()
}

// Beyond so many requests that wait, an acknowledgement replaces the last one. The server has to send a keyframe
// anyway.
const mostAnswers = 1000

// isCrowded tells whether so many requests wait that what can be said later should be.
func (s *stream) isCrowded() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.outbox) >= mostAnswers
}

// addRequest adds to the requests that wait to be sent.
func addRequest(
	waiting []*layoutpb.StreamLayoutRequest, request *layoutpb.StreamLayoutRequest,
) []*layoutpb.StreamLayoutRequest {
	last := len(waiting) - 1
	if last < 0 || !isAnswer(waiting[last]) || !isAnswer(request) {
		return append(waiting, request)
	}
	before, ack := waiting[last].Ack, request.Ack
	switch {
	case before.Rejected && !ack.Rejected && ack.FrameSeq <= before.FrameSeq:
		// The answer to a heartbeat, which the server would ignore after the rejection.
		return waiting
	case !before.Rejected && !ack.Rejected, len(waiting) >= mostAnswers:
		waiting[last] = request
		return waiting
	default:
		// Of all rejections the server hears, since the adjustments of their frames were not applied.
		return append(waiting, request)
	}
}

// isAnswer tells whether a request acknowledges or rejects a frame, and nothing else.
func isAnswer(request *layoutpb.StreamLayoutRequest) bool {
	return request.Event == nil && request.Ack != nil
}

// finishSending ends the request side of the stream once everything is sent.
func (s *stream) finishSending() {
	s.mu.Lock()
	s.isDone = true
	s.mu.Unlock()
	s.wakeSender()
}

func (s *stream) wakeSender() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}
