// SPDX-License-Identifier: Apache-2.0

// A client of the layout stream in Go, with grpc-go's default options: opens a stream, scrolls,
// edits, acknowledges, and compares what it holds with what the server answers.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	pb "collection_layout/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	"google.golang.org/protobuf/proto"
)

// codec takes the place of grpc-go's own, which in Debian's version only knows messages generated
// for the protobuf library's first interface.
type codec struct{}

func (codec) Name() string { return "proto" }

func (codec) Marshal(value interface{}) ([]byte, error) {
	return proto.Marshal(value.(proto.Message))
}

func (codec) Unmarshal(data []byte, value interface{}) error {
	return proto.Unmarshal(data, value.(proto.Message))
}

func init() { encoding.RegisterCodec(codec{}) }

const service = "/collection_layout.v1."

type client struct {
	connection *grpc.ClientConn
	stream     grpc.ClientStream
	seq        uint64
	session    string
	slots      map[uint32]*pb.LayoutElement
	last       *pb.LayoutFrame
	coverage   *pb.Rect
	frames     int
}

func fail(format string, values ...interface{}) {
	fmt.Fprintf(os.Stderr, format+"\n", values...)
	os.Exit(1)
}

func check(err error) {
	if err != nil {
		fail("%v", err)
	}
}

func (c *client) send(request *pb.StreamLayoutRequest) uint64 {
	c.seq++
	request.EventSeq = c.seq
	check(c.stream.SendMsg(request))
	return c.seq
}

// read applies one response; it returns the result of an event where that is what came.
func (c *client) read() *pb.EventResult {
	response := new(pb.StreamLayoutResponse)
	check(c.stream.RecvMsg(response))
	switch message := response.Message.(type) {
	case *pb.StreamLayoutResponse_Opened:
		c.session = message.Opened.Session
	case *pb.StreamLayoutResponse_Frame:
		c.apply(message.Frame)
	case *pb.StreamLayoutResponse_EventResult:
		return message.EventResult
	case *pb.StreamLayoutResponse_Heartbeat:
		c.acknowledge()
	}
	return nil
}

func (c *client) apply(frame *pb.LayoutFrame) {
	isNew := c.last == nil || frame.FrameSeq != c.last.FrameSeq
	if isNew && frame.BaseFrameSeq == 0 {
		c.slots = map[uint32]*pb.LayoutElement{}
	} else if isNew && frame.BaseFrameSeq != c.last.FrameSeq {
		fail("frame %d is based on %d", frame.FrameSeq, frame.BaseFrameSeq)
	}
	c.last = frame
	for _, slot := range frame.GetElements().GetRemovedSlots() {
		delete(c.slots, slot)
	}
	for _, element := range frame.GetElements().GetUpserts() {
		c.slots[element.Slot] = element
	}
	if frame.Coverage != nil {
		c.coverage = frame.Coverage
	}
	if frame.Continued {
		return
	}
	if int(frame.LiveCount) != len(c.slots) {
		fail("live count %d, but %d slots are filled", frame.LiveCount, len(c.slots))
	}
	c.frames++
	c.acknowledge()
}

func (c *client) acknowledge() {
	check(c.stream.SendMsg(&pb.StreamLayoutRequest{
		Ack: &pb.FrameAck{FrameSeq: c.last.FrameSeq}}))
}

// settle reads until the newest event is reflected: a resync is answered by a keyframe.
func (c *client) settle() {
	seq := c.send(&pb.StreamLayoutRequest{Event: &pb.StreamLayoutRequest_Resync{
		Resync: &pb.ResyncRequest{Reason: pb.ResyncRequest_REASON_CLIENT_RESET}}})
	for c.last == nil || c.last.AppliedEventSeq < seq {
		c.read()
	}
}

func name(key *pb.ElementKey) string {
	item := int64(-1)
	if key.IndexPath.Item != nil {
		item = int64(*key.IndexPath.Item)
	}
	return fmt.Sprint(key.Category, key.Kind, key.IndexPath.Section, item)
}

// verify compares the mirror with the server's answer for the same rect.
func (c *client) verify() {
	held := map[string]*pb.LayoutElement{}
	for _, element := range c.slots {
		held[name(element.Key)] = element
	}
	found, token := 0, ""
	for {
		answer := new(pb.QueryElementsResponse)
		check(c.connection.Invoke(context.Background(), service+"LayoutQueryService/QueryElements",
			&pb.QueryElementsRequest{
				Target:    &pb.LayoutTarget{Source: &pb.LayoutTarget_Session{Session: c.session}},
				Rect:      c.coverage,
				PageToken: token,
			}, answer))
		for _, element := range answer.Elements {
			mine, ok := held[name(element.Key)]
			if !ok || !proto.Equal(mine.Attributes, element.Attributes) {
				fail("element %v: held %v, expected %v", element.Key, mine, element.Attributes)
			}
			found++
		}
		if token = answer.NextPageToken; token == "" {
			break
		}
	}
	if found != len(held) {
		fail("%d elements held, %d expected", len(held), found)
	}
}

func contents() *pb.CollectionContents {
	result := new(pb.CollectionContents)
	for section := 0; section < 20; section++ {
		block := &pb.ItemBlock{Count: 100}
		for item := 0; item < 100; item++ {
			block.Widths = append(block.Widths, float64(40+(item*37+section*11)%160))
			block.Heights = append(block.Heights, float64(40+(item*53+section*29)%160))
		}
		result.Sections = append(result.Sections, &pb.Section{
			Key: fmt.Sprintf("s%d", section), Blocks: []*pb.ItemBlock{block}})
	}
	return result
}

func main() {
	if len(os.Args) != 2 {
		fail("usage: layoutclient HOST:PORT")
	}
	context, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	connection, err := grpc.DialContext(context, os.Args[1], grpc.WithInsecure(), grpc.WithBlock())
	check(err)
	c := &client{connection: connection}
	c.stream, err = connection.NewStream(context, &grpc.StreamDesc{
		StreamName: "StreamLayout", ServerStreams: true, ClientStreams: true,
	}, service+"LayoutSessionService/StreamLayout")
	check(err)
	c.send(&pb.StreamLayoutRequest{Event: &pb.StreamLayoutRequest_Open{Open: &pb.OpenSession{
		Source: &pb.OpenSession_InlineContents{InlineContents: contents()},
		Layout: &pb.LayoutSpec{Kind: &pb.LayoutSpec_Flow{Flow: &pb.FlowLayout{
			HeaderReferenceSize:              &pb.Size{Height: 40},
			SectionHeadersPinToVisibleBounds: true,
		}}},
		Viewport: &pb.ViewportChange{
			ContentOffset: &pb.Point{}, Size: &pb.Size{Width: 1024, Height: 768}},
	}}})
	for c.frames == 0 {
		c.read()
	}
	c.verify()
	for step := 1; step <= 500; step++ {
		c.send(&pb.StreamLayoutRequest{Event: &pb.StreamLayoutRequest_Viewport{
			Viewport: &pb.ViewportChange{
				ObservedFrameSeq: c.last.FrameSeq,
				ContentOffset:    &pb.Point{Y: float64(step * 40)},
			}}})
		if step%10 == 0 {
			c.edit(step)
		}
		if step%50 == 0 {
			c.settle()
			c.verify()
		}
	}
	c.send(&pb.StreamLayoutRequest{Event: &pb.StreamLayoutRequest_Close{
		Close: &pb.CloseSession{Discard: true}}})
	check(c.stream.CloseSend())
	fmt.Printf("Go client: %d frames, every mirror verified\n", c.frames)
}

func (c *client) edit(step int) {
	item := uint32(step % 90)
	seq := c.send(&pb.StreamLayoutRequest{Event: &pb.StreamLayoutRequest_Update{
		Update: &pb.UpdateBatch{Change: &pb.UpdateBatch_Operations{
			Operations: &pb.UpdateOperations{Operations: []*pb.UpdateOperation{{
				Operation: &pb.UpdateOperation_InsertItems{InsertItems: &pb.InsertItems{
					At:     &pb.IndexPath{Section: uint32(step % 20), Item: &item},
					Blocks: []*pb.ItemBlock{{Count: 1, Widths: []float64{70}, Heights: []float64{90}}},
				}}}}}}}}})
	for {
		if result := c.read(); result != nil && result.EventSeq == seq {
			if result.Problem != nil {
				fail("an edit was refused: %v", result.Problem)
			}
			return
		}
	}
}
