// SPDX-License-Identifier: Apache-2.0

package layoutclient

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"math/big"
	"net"
	"reflect"
	"sync/atomic"
	"testing"
	"time"

	"collectionlayout.example/layoutclient/layoutpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/types/known/durationpb"
)

// The server in Debian's version of gRPC has no codec of its own for these messages either.
func init() { encoding.RegisterCodec(codec{}) }

type serverStream = layoutpb.LayoutSessionService_StreamLayoutServer

// A fakeServer plays one script for each stream, so that it can do what the real one never does.
type fakeServer struct {
	layoutpb.UnimplementedLayoutSessionServiceServer
	scripts chan func(stream serverStream, opening *layoutpb.StreamLayoutRequest) error
}

func startFake(
	t *testing.T, options []grpc.ServerOption,
	scripts ...func(stream serverStream, opening *layoutpb.StreamLayoutRequest) error,
) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	fake := &fakeServer{scripts: make(chan func(serverStream, *layoutpb.StreamLayoutRequest) error,
		len(scripts))}
	for _, script := range scripts {
		fake.scripts <- script
	}
	server := grpc.NewServer(options...)
	layoutpb.RegisterLayoutSessionServiceServer(server, fake)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return listener.Addr().String()
}

// openFake opens a session of which the first frame has been read.
func openFake(t *testing.T, address string) *Viewer {
	t.Helper()
	viewer := must[*Viewer](t)(dial(t, address).Open(limited(t), opening("collections/x", nil)))
	if change, ok := must[Arrival](t)(viewer.Next(limited(t))).(*Change); !ok || !change.Keyframe {
		t.Fatalf("%+v found", change)
	}
	return viewer
}

func (f *fakeServer) StreamLayout(stream serverStream) error {
	opening, err := stream.Recv()
	if err != nil {
		return err
	}
	select {
	case script := <-f.scripts:
		return script(stream, opening)
	default:
		return status.Error(codes.FailedPrecondition, "there is no script for another stream")
	}
}

func say(stream serverStream, responses ...*layoutpb.StreamLayoutResponse) error {
	for _, response := range responses {
		if err := stream.Send(response); err != nil {
			return err
		}
	}
	return nil
}

func opened(outcome layoutpb.SessionOpened_Outcome) *layoutpb.StreamLayoutResponse {
	return &layoutpb.StreamLayoutResponse{Message: &layoutpb.StreamLayoutResponse_Opened{
		Opened: &layoutpb.SessionOpened{Session: "sessions/1", Outcome: outcome, UnitsPerPoint: 64,
			ResumeToken: []byte("token")}}}
}

func framed(frame *layoutpb.LayoutFrame) *layoutpb.StreamLayoutResponse {
	return &layoutpb.StreamLayoutResponse{Message: &layoutpb.StreamLayoutResponse_Frame{Frame: frame}}
}

// until reads requests up to one that is wanted, or to the end of the stream.
func until(stream serverStream, isWanted func(request *layoutpb.StreamLayoutRequest) bool) error {
	for {
		request, err := stream.Recv()
		if err != nil || isWanted(request) {
			return err
		}
	}
}

const (
	created = layoutpb.SessionOpened_OUTCOME_CREATED
	resumed = layoutpb.SessionOpened_OUTCOME_RESUMED
)

func TestAFrameThatDoesNotFitIsRejected(t *testing.T) {
	address := startFake(t, nil, func(stream serverStream, _ *layoutpb.StreamLayoutRequest) error {
		if err := say(stream, opened(created), framed(packedFrame()),
			framed(&layoutpb.LayoutFrame{FrameSeq: 2, BaseFrameSeq: 1, LiveCount: 9})); err != nil {
			return err
		}
		err := until(stream, func(r *layoutpb.StreamLayoutRequest) bool {
			return r.GetAck().GetRejected() && r.Ack.FrameSeq == 2
		})
		if err != nil {
			return err
		}
		keyframe := packedFrame()
		keyframe.FrameSeq = 3
		if err := say(stream, framed(keyframe), &layoutpb.StreamLayoutResponse{
			Message: &layoutpb.StreamLayoutResponse_Heartbeat{Heartbeat: &layoutpb.Heartbeat{
				LastFrameSeq: 3, LiveCount: 4}},
		}); err != nil {
			return err
		}
		return until(stream, func(r *layoutpb.StreamLayoutRequest) bool { return r.GetResync() != nil })
	})
	viewer := openFake(t, address)
	if rejection, ok := must[Arrival](t)(viewer.Next(limited(t))).(*Rejection); !ok ||
		rejection.Err.FrameSeq != 2 {
		t.Errorf("%+v found", rejection)
	}
	if change, ok := must[Arrival](t)(viewer.Next(limited(t))).(*Change); !ok || !change.Keyframe {
		t.Errorf("%+v found", change)
	}
	if message, ok := must[Arrival](t)(viewer.Next(limited(t))).(*Message); !ok ||
		message.GetHeartbeat() == nil {
		t.Errorf("%+v found", message)
	}
}

func TestAServerWhoseKeyframesNeverFitIsLeft(t *testing.T) {
	address := startFake(t, nil, func(stream serverStream, _ *layoutpb.StreamLayoutRequest) error {
		if err := say(stream, opened(created), framed(packedFrame())); err != nil {
			return err
		}
		for sequence := uint64(2); sequence < 9; sequence++ {
			if err := say(stream, framed(&layoutpb.LayoutFrame{FrameSeq: sequence, LiveCount: 9})); err != nil {
				return err
			}
		}
		<-stream.Context().Done()
		return nil
	})
	viewer := openFake(t, address)
	for rejected := 0; rejected < mostRejectedInRow; rejected++ {
		if _, ok := must[Arrival](t)(viewer.Next(limited(t))).(*Rejection); !ok {
			t.Fatal("no rejection found")
		}
	}
	var problem *Problem
	if _, err := viewer.Next(limited(t)); !errors.As(err, &problem) || problem.Code != codes.DataLoss {
		t.Fatalf("%v found", err)
	}
}

func TestASilentServerIsLeft(t *testing.T) {
	address := startFake(t, nil, func(stream serverStream, _ *layoutpb.StreamLayoutRequest) error {
		if err := say(stream, opened(created), framed(packedFrame())); err != nil {
			return err
		}
		<-stream.Context().Done()
		return nil
	}, func(stream serverStream, opening *layoutpb.StreamLayoutRequest) error {
		resume := opening.GetOpen().GetResume()
		if string(resume.GetResumeToken()) != "token" || resume.GetLastFrameSeq() != 1 ||
			resume.GetLiveCount() != 3 || opening.EventSeq != 0 {
			return status.Errorf(codes.InvalidArgument, "resumed with %v", opening)
		}
		if err := say(stream, opened(resumed)); err != nil {
			return err
		}
		<-stream.Context().Done()
		return nil
	})
	viewer := openFake(t, address)
	viewer.patience = 50 * time.Millisecond
	arrival := must[Arrival](t)(viewer.Next(limited(t)))
	if found, ok := arrival.(*Reconnected); !ok || found.Outcome != resumed {
		t.Errorf("%+v found", arrival)
	}
}

func TestAServerThatGoesAwayNamesTheTimeToWait(t *testing.T) {
	wait := 300 * time.Millisecond
	var left time.Time
	address := startFake(t, nil, func(stream serverStream, _ *layoutpb.StreamLayoutRequest) error {
		left = time.Now()
		if err := say(stream, opened(created), framed(packedFrame()), &layoutpb.StreamLayoutResponse{
			Message: &layoutpb.StreamLayoutResponse_Notice{Notice: &layoutpb.Notice{
				Type: layoutpb.Notice_TYPE_GOING_AWAY, ReconnectDelay: durationpb.New(wait)}},
		}); err != nil {
			return err
		}
		return status.Error(codes.Unavailable, "the server is going away")
	}, func(stream serverStream, _ *layoutpb.StreamLayoutRequest) error {
		if waited := time.Since(left); waited < wait {
			return status.Errorf(codes.InvalidArgument, "came back after %v", waited)
		}
		return say(stream, opened(resumed))
	})
	viewer := openFake(t, address)
	defer viewer.cancel()
	for {
		switch arrival := must[Arrival](t)(viewer.Next(limited(t))).(type) {
		case *Reconnected:
			return
		case *Message:
		default:
			t.Fatalf("%+v found", arrival)
		}
	}
}

func TestAnAbsurdTimeToWaitIsAMinute(t *testing.T) {
	absurd := &durationpb.Duration{Seconds: 1 << 62, Nanos: 1<<31 - 1}
	address := startFake(t, nil, func(stream serverStream, _ *layoutpb.StreamLayoutRequest) error {
		begun := opened(created)
		begun.GetOpened().Options = &layoutpb.SessionOptions{HeartbeatInterval: absurd}
		return say(stream, begun, framed(packedFrame()), &layoutpb.StreamLayoutResponse{
			Message: &layoutpb.StreamLayoutResponse_Notice{Notice: &layoutpb.Notice{
				Type: layoutpb.Notice_TYPE_GOING_AWAY, ReconnectDelay: absurd}},
		})
	})
	viewer := openFake(t, address)
	defer viewer.cancel()
	if viewer.patience != 3*time.Minute {
		t.Errorf("silent for %v", viewer.patience)
	}
	must[Arrival](t)(viewer.Next(limited(t)))
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	if arrival, err := viewer.Next(ctx); err != context.DeadlineExceeded {
		t.Errorf("%+v and %v found", arrival, err)
	}
	if left := time.Until(viewer.retryAt); left < 58*time.Second || left > time.Minute {
		t.Errorf("comes back after %v", left)
	}
}

func TestAServerWhoseStreamsBreakIsNotStormed(t *testing.T) {
	for _, isRefused := range []bool{false, true} {
		var streams int32
		script := func(stream serverStream, opening *layoutpb.StreamLayoutRequest) error {
			atomic.AddInt32(&streams, 1)
			if isRefused && opening.GetOpen().GetResume() != nil {
				return gone()
			}
			if err := say(stream, opened(created), framed(packedFrame())); err != nil {
				return err
			}
			return status.Error(codes.Unavailable, "the stream breaks")
		}
		scripts := make([]func(serverStream, *layoutpb.StreamLayoutRequest) error, 100)
		for index := range scripts {
			scripts[index] = script
		}
		viewer := openFake(t, startFake(t, nil, scripts...))
		ctx, cancel := context.WithTimeout(context.Background(), 2500*time.Millisecond)
		for ctx.Err() == nil {
			if _, err := viewer.Next(ctx); err != nil && ctx.Err() == nil {
				t.Fatal(err)
			}
		}
		cancel()
		viewer.cancel()
		// After 0.1, 0.2, 0.4, 0.8 and 1.6 s, 20 % more or less; a session that cannot be resumed is followed by
		// another one at once.
		least, most := int32(4), int32(6)
		if isRefused {
			least, most = 7, 12
		}
		if found := atomic.LoadInt32(&streams); found < least || found > most {
			t.Errorf("%d streams (resume refused: %v)", found, isRefused)
		}
	}
}

func TestAfterAnOutageALostSessionIsFollowedByAnotherOneAtOnce(t *testing.T) {
	viewer := &Viewer{client: &Client{}, stream: &stream{cancel: func() {}}, ctx: context.Background(), token: []byte("a"),
		session: "sessions/a", opening: &layoutpb.OpenSession{
			Source: &layoutpb.OpenSession_Collection{Collection: "collections/a"}}}
	lost := &Problem{Code: codes.NotFound, Reason: "SESSION_EXPIRED"}
	viewer.backoff.succeeded(time.Now())
	breakOff := func(err error, isOnline bool) time.Duration {
		viewer.stream, viewer.isOnline = &stream{cancel: func() {}}, isOnline
		viewer.breakOff(err)
		return time.Until(viewer.retryAt)
	}
	for attempt := 0; attempt < 10; attempt++ {
		breakOff(&Problem{Code: codes.Unavailable}, false)
	}
	if wait := breakOff(lost, false); wait > 0 || viewer.err != nil {
		t.Errorf("%v after a refused resume", wait)
	}
	// The server has opened this one, so it should have it.
	viewer.token = []byte("b")
	viewer.backoff.succeeded(time.Now())
	if wait := breakOff(lost, true); wait < 5*time.Second {
		t.Errorf("%v after an opened session", wait)
	}
	// So it is with a token that the server refuses: the next one is tried at once, and that once.
	refused := status.Error(codes.Unauthenticated, "refused")
	if wait := breakOff(refused, true); wait > 0 || viewer.err != nil {
		t.Errorf("%v, %v after a refused token", wait, viewer.err)
	}
	viewer.backoff.succeeded(time.Now())
	if breakOff(refused, true); viewer.err == nil {
		t.Error("a second refused token does not end the session")
	}
	viewer.err = nil
	viewer.backoff.succeeded(time.Now().Add(-2 * worked))
	if breakOff(refused, true); viewer.err != nil {
		t.Error(viewer.err)
	}
}

func TestAnswersThatWaitAreLimited(t *testing.T) {
	ack := func(frame uint64, isRejected bool) *layoutpb.StreamLayoutRequest {
		return &layoutpb.StreamLayoutRequest{Ack: &layoutpb.FrameAck{FrameSeq: frame, Rejected: isRejected}}
	}
	var waiting []*layoutpb.StreamLayoutRequest
	for _, request := range []*layoutpb.StreamLayoutRequest{
		ack(1, false), ack(2, false), ack(3, true), ack(2, false), ack(4, true), ack(5, false),
	} {
		waiting = addRequest(waiting, request)
	}
	var told []uint64
	for _, request := range waiting {
		told = append(told, request.Ack.FrameSeq)
	}
	if !reflect.DeepEqual(told, []uint64{2, 3, 4, 5}) {
		t.Errorf("%v found", told)
	}
	for frame := uint64(6); frame < 100_000; frame++ {
		waiting = addRequest(addRequest(waiting, ack(frame, true)), ack(1, false))
	}
	if len(waiting) != mostAnswers {
		t.Errorf("%d requests wait", len(waiting))
	}
}

func TestSettlingWaitsForTheKeyframeThatReplacesARejectedFrame(t *testing.T) {
	address := startFake(t, nil, func(stream serverStream, _ *layoutpb.StreamLayoutRequest) error {
		if err := say(stream, opened(created), framed(packedFrame())); err != nil {
			return err
		}
		for {
			request, err := stream.Recv()
			if err != nil {
				return err
			}
			if request.GetSync() != nil {
				err = say(stream, framed(&layoutpb.LayoutFrame{FrameSeq: 2, BaseFrameSeq: 1, LiveCount: 9}),
					answered(request.EventSeq))
			} else if request.GetAck().GetRejected() {
				err = say(stream, framed(&layoutpb.LayoutFrame{FrameSeq: 3}))
			}
			if err != nil {
				return err
			}
		}
	})
	viewer := openFake(t, address)
	if err := viewer.Settle(limited(t)); err != nil || viewer.mirror.frameSeq != 3 {
		t.Fatalf("%v, frame %d", err, viewer.mirror.frameSeq)
	}
}

func TestOnlyWhatConfirmsTheElementsMendsAMirrorThatIsBehind(t *testing.T) {
	viewer := openViewer()
	refuse := func() {
		viewer.take(framed(&layoutpb.LayoutFrame{FrameSeq: 9, BaseFrameSeq: viewer.mirror.frameSeq, LiveCount: 9}))
		if !viewer.lacksFrame() {
			t.Fatal("a mirror that lacks a frame is not behind")
		}
	}
	reopen := func(outcome layoutpb.SessionOpened_Outcome, token string) {
		viewer.isOnline, viewer.token = false, []byte(token)
		viewer.take(opened(outcome))
	}
	beat := func(change func(heartbeat *layoutpb.Heartbeat)) {
		checksum := viewer.mirror.checksum
		heartbeat := &layoutpb.Heartbeat{LastFrameSeq: viewer.mirror.frameSeq, StateChecksum: &checksum,
			LiveCount: uint32(viewer.mirror.Len())}
		change(heartbeat)
		viewer.takeHeartbeat(heartbeat)
	}
	next := func(frame *layoutpb.LayoutFrame) {
		frame.FrameSeq, frame.LiveCount = viewer.mirror.frameSeq+1, uint32(viewer.mirror.Len())
		if _, ok := viewer.take(framed(frame)).(*Change); !ok {
			t.Fatalf("%v is refused", frame)
		}
	}
	for _, step := range []struct {
		name  string
		mends bool
		take  func()
	}{
		{"a stream that does not resume", false, func() { reopen(resumed, "") }},
		{"a keyframe to come", false, func() { reopen(layoutpb.SessionOpened_OUTCOME_RESUMED_WITH_KEYFRAME, "token") }},
		{"a resume", true, func() { reopen(resumed, "token") }},
		{"another frame", false, func() { beat(func(h *layoutpb.Heartbeat) { h.LastFrameSeq++ }) }},
		{"another number", false, func() { beat(func(h *layoutpb.Heartbeat) { h.LiveCount++ }) }},
		{"another checksum", false, func() { beat(func(h *layoutpb.Heartbeat) { *h.StateChecksum++ }) }},
		{"no checksum", false, func() { beat(func(h *layoutpb.Heartbeat) { h.StateChecksum = nil }) }},
		{"a heartbeat", true, func() { beat(func(*layoutpb.Heartbeat) {}) }},
		{"a frame that proves nothing", false, func() {
			next(&layoutpb.LayoutFrame{BaseFrameSeq: viewer.mirror.frameSeq})
		}},
		{"a frame with a checksum", true, func() {
			checksum := viewer.mirror.checksum
			next(&layoutpb.LayoutFrame{BaseFrameSeq: viewer.mirror.frameSeq, StateChecksum: &checksum})
		}},
		{"a keyframe", true, func() {
			viewer.take(framed(packedFrame()))
		}},
	} {
		refuse()
		if step.take(); viewer.lacksFrame() == step.mends {
			t.Errorf("mended by %s: %v", step.name, !step.mends)
		}
	}
}

// openViewer has applied the first frame, and has no server.
func openViewer() *Viewer {
	viewer := lostViewer()
	viewer.client, viewer.session, viewer.isOnline = &Client{}, "sessions/1", true
	viewer.stream = &stream{wake: make(chan struct{}, 1), cancel: func() {}}
	viewer.take(framed(packedFrame()))
	return viewer
}

func TestSettlingWaitsForTheFirstFrameOfANewSession(t *testing.T) {
	address := startFake(t, nil, func(stream serverStream, _ *layoutpb.StreamLayoutRequest) error {
		if err := say(stream, opened(created), framed(packedFrame())); err != nil {
			return err
		}
		if err := until(stream, func(r *layoutpb.StreamLayoutRequest) bool { return r.GetSync() != nil }); err != nil {
			return err
		}
		return status.Error(codes.Unavailable, "the stream breaks")
	}, func(stream serverStream, _ *layoutpb.StreamLayoutRequest) error {
		begun := opened(layoutpb.SessionOpened_OUTCOME_RESET)
		begun.GetOpened().Session = "sessions/2"
		if err := say(stream, begun); err != nil {
			return err
		}
		return until(stream, func(r *layoutpb.StreamLayoutRequest) bool {
			return r.GetSync() != nil && say(stream, answered(r.EventSeq), framed(packedFrame())) != nil
		})
	})
	viewer := openFake(t, address)
	defer viewer.cancel()
	if err := viewer.Settle(limited(t)); err != nil || viewer.mirror.frameSeq == 0 {
		t.Fatalf("%v, frame %d", err, viewer.mirror.frameSeq)
	}
}

func answered(event uint64) *layoutpb.StreamLayoutResponse {
	return &layoutpb.StreamLayoutResponse{Message: &layoutpb.StreamLayoutResponse_EventResult{
		EventResult: &layoutpb.EventResult{EventSeq: event}}}
}

// The server answers each question for a keyframe, although nothing was sent to it.
func TestQuestionsForAKeyframeDoNotPileUp(t *testing.T) {
	viewer := openViewer()
	for round := 0; round < 10_000; round++ {
		viewer.takeHeartbeat(&layoutpb.Heartbeat{LastFrameSeq: viewer.mirror.frameSeq, LiveCount: 9})
		viewer.take(answered(viewer.lastEvent))
	}
	if waiting := len(viewer.stream.outbox); waiting > mostAnswers {
		t.Errorf("%d requests wait", waiting)
	}
}

// gone refuses a resume. The type of details is in one of two Go modules, depending on the version of gRPC.
func gone() error {
	info := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), "SESSION_EXPIRED")
	refusal := status.New(codes.NotFound, "the session is gone").Proto()
	details := reflect.ValueOf(&refusal.Details).Elem()
	detail := reflect.New(details.Type().Elem().Elem())
	detail.Elem().FieldByName("TypeUrl").SetString("type.googleapis.com/google.rpc.ErrorInfo")
	detail.Elem().FieldByName("Value").SetBytes(info)
	details.Set(reflect.Append(details, detail))
	return status.ErrorProto(refusal)
}

func TestARefusalEndsTheSession(t *testing.T) {
	address := startFake(t, nil, func(stream serverStream, _ *layoutpb.StreamLayoutRequest) error {
		if err := say(stream, opened(created), framed(packedFrame())); err != nil {
			return err
		}
		return status.Error(codes.PermissionDenied, "the token is out of date")
	})
	viewer := openFake(t, address)
	for attempt := 0; attempt < 2; attempt++ {
		if _, err := viewer.Next(limited(t)); status.Code(err) != codes.PermissionDenied {
			t.Errorf("%v found", err)
		}
	}
	if _, err := viewer.ScrollTo(Point{}); status.Code(err) != codes.PermissionDenied {
		t.Errorf("%v found", err)
	}
}

func TestAServerThatIsNotThereIsTriedFourTimes(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	_, err = dial(t, address).Open(limited(t), opening("collections/x", nil))
	if status.Code(err) != codes.Unavailable {
		t.Errorf("%v found", err)
	}
}

// A bearer is a token in the metadata of each call.
type bearer string

func (b bearer) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer " + string(b)}, nil
}

func (bearer) RequireTransportSecurity() bool { return true }

func TestCallsAreEncryptedAndCarryCredentials(t *testing.T) {
	certificate := selfSigned(t)
	address := startFake(t,
		[]grpc.ServerOption{grpc.Creds(credentials.NewServerTLSFromCert(&certificate))},
		func(stream serverStream, _ *layoutpb.StreamLayoutRequest) error {
			found, _ := metadata.FromIncomingContext(stream.Context())
			if tokens := found["authorization"]; len(tokens) != 1 || tokens[0] != "Bearer secret" {
				return status.Errorf(codes.Unauthenticated, "%v found", tokens)
			}
			if names := found["x-layout-collection"]; len(names) != 1 || names[0] != "collections/x" {
				return status.Errorf(codes.InvalidArgument, "%v found", names)
			}
			if err := say(stream, opened(created), framed(packedFrame())); err != nil {
				return err
			}
			return until(stream, func(r *layoutpb.StreamLayoutRequest) bool { return r.GetClose() != nil })
		})
	roots := x509.NewCertPool()
	roots.AddCert(certificate.Leaf)
	client := dial(t, address, grpc.WithTransportCredentials(credentials.NewClientTLSFromCert(roots, "")),
		grpc.WithPerRPCCredentials(bearer("secret")))
	viewer := must[*Viewer](t)(client.Open(limited(t), opening("collections/x", nil)))
	if err := viewer.Close(); err != nil {
		t.Error(err)
	}
	// A server that nobody vouches for is not talked to.
	client = dial(t, address,
		grpc.WithTransportCredentials(credentials.NewClientTLSFromCert(x509.NewCertPool(), "")))
	if _, err := client.Open(limited(t), opening("collections/x", nil)); status.Code(err) != codes.Unavailable {
		t.Errorf("%v found", err)
	}
}

func selfSigned(t *testing.T) tls.Certificate {
	t.Helper()
	key := must[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	bytes := must[[]byte](t)(x509.CreateCertificate(rand.Reader, template, template, key.Public(), key))
	leaf := must[*x509.Certificate](t)(x509.ParseCertificate(bytes))
	return tls.Certificate{Certificate: [][]byte{bytes}, PrivateKey: key, Leaf: leaf}
}
