// SPDX-License-Identifier: Apache-2.0

// Scrolls through contents of its own with the Go client, edits them, and compares what the client holds with
// what the server answers.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"collectionlayout.example/layoutclient"
	"collectionlayout.example/layoutclient/layoutpb"
	"google.golang.org/grpc"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: testclient HOST:PORT")
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := run(ctx, os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, address string) error {
	client, err := layoutclient.Dial(address, grpc.WithInsecure())
	if err != nil {
		return err
	}
	defer client.Close()
	capabilities := layoutclient.Capabilities()
	// Exact, so that elements can be compared with the answers of queries.
	capabilities.Encodings = []layoutpb.ElementEncoding{
		layoutpb.ElementEncoding_ELEMENT_ENCODING_MESSAGES}
	viewer, err := client.Open(ctx, &layoutpb.OpenSession{
		Source:       &layoutpb.OpenSession_InlineContents{InlineContents: contents()},
		Capabilities: capabilities,
		Layout: &layoutpb.LayoutSpec{Kind: &layoutpb.LayoutSpec_Flow{Flow: &layoutpb.FlowLayout{
			HeaderReferenceSize:              &layoutpb.Size{Height: 40},
			SectionHeadersPinToVisibleBounds: true,
		}}},
		Viewport: &layoutpb.ViewportChange{Size: &layoutpb.Size{Width: 1024, Height: 768}},
	})
	if err != nil {
		return err
	}
	defer viewer.Close()
	for step := 1; step <= 500; step++ {
		if _, err := viewer.ScrollTo(layoutclient.Point{Y: float64(step * 40)}); err != nil {
			return err
		}
		if step%10 == 0 {
			if _, err := viewer.Perform(ctx, insertion(step)); err != nil {
				return err
			}
		}
		if step%50 == 0 {
			if err := viewer.Settle(ctx); err != nil {
				return err
			}
			if err := verify(ctx, client, viewer); err != nil {
				return err
			}
		}
	}
	viewer.Read(func(mirror *layoutclient.Mirror, _ layoutclient.Point) {
		fmt.Printf("Go client: %d frames, every mirror verified\n", mirror.FrameSeq())
	})
	return nil
}

func contents() *layoutpb.CollectionContents {
	result := new(layoutpb.CollectionContents)
	for section := 0; section < 20; section++ {
		block := &layoutpb.ItemBlock{Count: 100}
		for item := 0; item < 100; item++ {
			block.Widths = append(block.Widths, float64(40+(item*37+section*11)%160))
			block.Heights = append(block.Heights, float64(40+(item*53+section*29)%160))
		}
		result.Sections = append(result.Sections, &layoutpb.Section{
			Key: fmt.Sprintf("s%d", section), Blocks: []*layoutpb.ItemBlock{block}})
	}
	return result
}

func insertion(step int) *layoutpb.StreamLayoutRequest {
	at := layoutclient.IndexPath{Section: uint32(step % 20), Item: int64(step % 90)}
	insert := &layoutpb.InsertItems{At: at.Message(),
		Blocks: []*layoutpb.ItemBlock{{Count: 1, Widths: []float64{70}, Heights: []float64{90}}}}
	operation := &layoutpb.UpdateOperation{
		Operation: &layoutpb.UpdateOperation_InsertItems{InsertItems: insert}}
	operations := &layoutpb.UpdateOperations{Operations: []*layoutpb.UpdateOperation{operation}}
	return &layoutpb.StreamLayoutRequest{Event: &layoutpb.StreamLayoutRequest_Update{
		Update: &layoutpb.UpdateBatch{
			Change: &layoutpb.UpdateBatch_Operations{Operations: operations}}}}
}

// verify compares the mirror with the server's answer for the same rect.
func verify(ctx context.Context, client *layoutclient.Client, viewer *layoutclient.Viewer) error {
	held := map[layoutclient.ElementKey]layoutclient.Element{}
	var rect layoutclient.Rect
	viewer.Read(func(mirror *layoutclient.Mirror, _ layoutclient.Point) {
		rect = mirror.Coverage()
		for _, element := range mirror.Elements() {
			held[element.Key] = element
		}
	})
	request := &layoutpb.QueryElementsRequest{
		Target: &layoutpb.LayoutTarget{
			Source: &layoutpb.LayoutTarget_Session{Session: viewer.Session()}},
		Rect: &layoutpb.Rect{X: rect.X, Y: rect.Y, Width: rect.Width, Height: rect.Height},
	}
	found := 0
	for {
		answer, err := layoutpb.NewLayoutQueryServiceClient(client).QueryElements(ctx, request)
		if err != nil {
			return err
		}
		for _, message := range answer.Elements {
			expected, err := layoutclient.ElementOf(message)
			if err != nil {
				return err
			}
			mine, ok := held[expected.Key]
			expected.Slot = mine.Slot
			if !ok || mine != expected {
				return fmt.Errorf("%v: %+v held, %+v expected", expected.Key, mine, expected)
			}
			found++
		}
		if answer.NextPageToken == "" {
			break
		}
		if answer.NextPageToken == request.PageToken {
			return errors.New("the server gave the token of the page that it was asked for")
		}
		request.PageToken = answer.NextPageToken
	}
	if found != len(held) {
		return fmt.Errorf("%d elements held, %d expected", len(held), found)
	}
	return nil
}
