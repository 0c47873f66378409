// SPDX-License-Identifier: Apache-2.0

package provider_test

import (
	"context"
	"io"
	"math"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"collectionlayout.example/layoutclient"
	"collectionlayout.example/layoutclient/layoutpb"
	"collectionlayout.example/layoutclient/provider"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// packed places items by their widths, except those whose width can be divided by 7, with a badge on each tenth and a
// title above each section that is not empty.
func packed(_ context.Context, items *provider.Items, _ provider.Container) (*provider.Placed, error) {
	placed := items.Place()
	for number, item := range items.All {
		width := item.Width
		if math.IsNaN(width) {
			width = 0
		}
		placed.Cells[number] = provider.Cell{X: math.Mod(7*width, 1000), Y: width, Width: width, Height: 5,
			Absent: width > 0 && math.Mod(width, 7) == 0}
		if item.Index%10 == 0 {
			placed.Others = append(placed.Others, provider.Other{
				Cell: provider.Cell{X: 1, Y: 1, Width: 2, Height: 2}, Kind: "badge",
				Section: item.Section, Item: item.Index})
		}
	}
	for number, section := range items.Sections {
		placed.Others = append(placed.Others, provider.Other{
			Cell:    provider.Cell{Width: 10, Height: 10, Absent: section.Count == 0},
			Kind:    "title " + strings.Repeat("I", section.Count%3),
			Section: number, Item: -1, Decoration: number%2 == 1})
	}
	placed.Width, placed.Height = 1000, 1000
	return placed, nil
}

// check runs all cases of `layoutctl provider check`, which LAYOUTCTL names.
func check(t *testing.T, server *provider.Server) string {
	t.Helper()
	binary := os.Getenv("LAYOUTCTL")
	if binary == "" {
		t.Skip("LAYOUTCTL names no binary")
	}
	address := serve(t, server)
	output, err := exec.Command(binary, "provider", "check", address, "--timeout", "60").CombinedOutput()
	if err != nil || !strings.Contains(string(output), " 0 failed") {
		t.Fatalf("%v\n%s", err, output)
	}
	return string(output)
}

func TestTheRulesOfTheContractAreKept(t *testing.T) {
	updates := 0
	again := func(ctx context.Context, items *provider.Items, in provider.Container, before *provider.Placed,
		was []int) (*provider.Placed, error) {
		if len(was) != len(items.All) || len(before.Cells) == 0 {
			t.Errorf("%d numbers for %d items", len(was), len(items.All))
		}
		updates++
		return packed(ctx, items, in)
	}
	output := check(t, &provider.Server{Layouts: []provider.Layout{
		{Name: "packed", Place: packed}, {Name: "again", Place: packed, Update: again}, {Name: "spiral", Place: spiral}}})
	for _, name := range []string{"packed", "again", "spiral"} {
		if !strings.Contains(output, "kept       "+name+"  several changes lead to the same places") {
			t.Fatal(output)
		}
	}
	if updates < 24 {
		t.Fatalf("%d updates", updates)
	}
}

func TestAProviderThatRemembersNothingIsAskedForEverything(t *testing.T) {
	output := check(t, &provider.Server{Keep: -1, Layouts: []provider.Layout{{Name: "packed", Place: packed}}})
	if !strings.Contains(output, "not tried  packed  a change leads to the same places: it gives no cookies") {
		t.Fatal(output)
	}
}

// A connection is ended that brings more pings than a server takes; Go's library sends one with almost each answer.
func TestManyCallsHaveOneConnection(t *testing.T) {
	address := serve(t, &provider.Server{Layouts: []provider.Layout{{Name: "spiral", Place: spiral}}})
	connection, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	pings := make(chan struct{}, 1)
	watched := &watchedConnection{Conn: connection, ping: pings}
	client, err := layoutclient.Dial(address, grpc.WithInsecure(),
		grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) { return watched, nil }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	for number := 0; number < 300; number++ {
		if _, err := prepare(layoutpb.NewLayoutProviderServiceClient(client), ctx, prepareStart("spiral"),
			prepareSection(), prepareItems(&layoutpb.ItemBlock{Count: 100})); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case <-pings:
		t.Fatal("the provider sent pings")
	default:
	}
}

// A watchedConnection looks for frames that are pings of the other side, not answers to own ones.
type watchedConnection struct {
	net.Conn
	ping    chan struct{}
	pending []byte
}

func (c *watchedConnection) Read(bytes []byte) (int, error) {
	count, err := c.Conn.Read(bytes)
	c.pending = append(c.pending, bytes[:count]...)
	for len(c.pending) >= 9 {
		end := 9 + int(c.pending[0])<<16 + int(c.pending[1])<<8 + int(c.pending[2])
		if len(c.pending) < end {
			break
		}
		if kind, flags := c.pending[3], c.pending[4]; kind == 6 && flags&1 == 0 {
			select {
			case c.ping <- struct{}{}:
			default:
			}
		}
		c.pending = c.pending[end:]
	}
	return count, err
}

func dial(t *testing.T, server *provider.Server) (layoutpb.LayoutProviderServiceClient, context.Context) {
	t.Helper()
	client, err := layoutclient.Dial(serve(t, server), grpc.WithInsecure())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return layoutpb.NewLayoutProviderServiceClient(client), ctx
}

func start(layout string) *layoutpb.PrepareLayoutStart {
	return &layoutpb.PrepareLayoutStart{Layout: layout}
}

func prepare(client layoutpb.LayoutProviderServiceClient, ctx context.Context,
	requests ...*layoutpb.PrepareLayoutRequest) (*layoutpb.PrepareLayoutEnd, error) {
	stream, err := client.PrepareLayout(ctx)
	if err != nil {
		return nil, err
	}
	for _, request := range requests {
		if err := stream.Send(request); err != nil {
			break
		}
	}
	_ = stream.CloseSend()
	var end *layoutpb.PrepareLayoutEnd
	for {
		response, err := stream.Recv()
		if err == io.EOF {
			return end, nil
		}
		if err != nil {
			return nil, err
		}
		if response.GetEnd() != nil {
			end = response.GetEnd()
		}
	}
}

func prepareStart(layout string) *layoutpb.PrepareLayoutRequest {
	return &layoutpb.PrepareLayoutRequest{Part: &layoutpb.PrepareLayoutRequest_Start{Start: start(layout)}}
}

func prepareSection() *layoutpb.PrepareLayoutRequest {
	return &layoutpb.PrepareLayoutRequest{Part: &layoutpb.PrepareLayoutRequest_Section{Section: &layoutpb.Section{}}}
}

func prepareItems(block *layoutpb.ItemBlock) *layoutpb.PrepareLayoutRequest {
	return &layoutpb.PrepareLayoutRequest{Part: &layoutpb.PrepareLayoutRequest_Items{Items: block}}
}

func TestRequestsThatBreakARuleAreRefused(t *testing.T) {
	client, ctx := dial(t, &provider.Server{MaxItems: 100, Layouts: []provider.Layout{
		{Name: "packed", Place: packed, MaxItems: 50}, {Name: "any", Place: packed}}})
	many := []*layoutpb.PrepareLayoutRequest{prepareStart("any")}
	for number := 0; number < 101; number++ {
		many = append(many, prepareSection())
	}
	for _, each := range []struct {
		code     codes.Code
		requests []*layoutpb.PrepareLayoutRequest
	}{
		{codes.InvalidArgument, nil},
		{codes.InvalidArgument, []*layoutpb.PrepareLayoutRequest{prepareSection()}},
		{codes.NotFound, []*layoutpb.PrepareLayoutRequest{prepareStart("absent")}},
		{codes.InvalidArgument, []*layoutpb.PrepareLayoutRequest{prepareStart("packed"), prepareStart("packed")}},
		{codes.InvalidArgument, []*layoutpb.PrepareLayoutRequest{prepareStart("packed"), {}}},
		{codes.InvalidArgument, []*layoutpb.PrepareLayoutRequest{prepareStart("packed"),
			prepareItems(&layoutpb.ItemBlock{Count: 1})}},
		{codes.InvalidArgument, []*layoutpb.PrepareLayoutRequest{prepareStart("packed"), prepareSection(),
			prepareItems(&layoutpb.ItemBlock{Count: 3, Xs: []float64{1, 2}})}},
		{codes.InvalidArgument, []*layoutpb.PrepareLayoutRequest{prepareStart("packed"), prepareSection(),
			prepareItems(&layoutpb.ItemBlock{Count: 1, CellKinds: []uint32{1}})}},
		{codes.ResourceExhausted, []*layoutpb.PrepareLayoutRequest{prepareStart("packed"), prepareSection(),
			prepareItems(&layoutpb.ItemBlock{Count: 51})}},
		{codes.ResourceExhausted, []*layoutpb.PrepareLayoutRequest{prepareStart("any"), prepareSection(),
			prepareItems(&layoutpb.ItemBlock{Count: math.MaxUint32})}},
		{codes.ResourceExhausted, many},
		{codes.OK, []*layoutpb.PrepareLayoutRequest{prepareStart("any"), prepareSection(),
			prepareItems(&layoutpb.ItemBlock{Count: 100})}},
	} {
		if _, err := prepare(client, ctx, each.requests...); status.Code(err) != each.code {
			t.Errorf("%v: %v; %v is needed", each.requests, err, each.code)
		}
	}
}

func update(client layoutpb.LayoutProviderServiceClient, ctx context.Context, layout string, cookie []byte,
	requests ...*layoutpb.UpdatePlacementRequest) error {
	stream, err := client.UpdatePlacement(ctx)
	if err != nil {
		return err
	}
	_ = stream.Send(&layoutpb.UpdatePlacementRequest{Part: &layoutpb.UpdatePlacementRequest_Start{
		Start: &layoutpb.UpdatePlacementStart{Prepare: start(layout), Cookie: cookie}}})
	for _, request := range requests {
		if err := stream.Send(request); err != nil {
			break
		}
	}
	_ = stream.CloseSend()
	for {
		if _, err := stream.Recv(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func TestOnlyTheAnswersThatWereUsedLastAreRemembered(t *testing.T) {
	client, ctx := dial(t, &provider.Server{Keep: 2, Layouts: []provider.Layout{
		{Name: "packed", Place: packed}, {Name: "other", Place: packed}}})
	cookie := func() []byte {
		end, err := prepare(client, ctx, prepareStart("packed"), prepareSection(),
			prepareItems(&layoutpb.ItemBlock{Count: 3}))
		if err != nil || len(end.GetCookie()) != 16 {
			t.Fatalf("%v %v", end, err)
		}
		return end.GetCookie()
	}
	first, second := cookie(), cookie()
	for _, each := range []struct {
		layout string
		cookie []byte
		code   codes.Code
	}{
		{"other", first, codes.FailedPrecondition},
		{"packed", []byte{1}, codes.FailedPrecondition},
		{"packed", nil, codes.FailedPrecondition},
		// What it places is remembered instead of the second one.
		{"packed", first, codes.OK},
		{"packed", second, codes.FailedPrecondition},
		{"packed", first, codes.OK},
	} {
		if err := update(client, ctx, each.layout, each.cookie); status.Code(err) != each.code {
			t.Fatalf("%q %v: %v; %v is needed", each.layout, each.cookie, err, each.code)
		}
	}
	section := &layoutpb.UpdatePlacementRequest{Part: &layoutpb.UpdatePlacementRequest_Section{
		Section: &layoutpb.UpdatedSection{}}}
	was := uint32(1)
	wrong := []*layoutpb.UpdatePlacementRequest{{}, {Part: &layoutpb.UpdatePlacementRequest_Section{
		Section: &layoutpb.UpdatedSection{Was: &was}}}}
	for _, kept := range []*layoutpb.KeptItems{
		{Section: 0, First: 1, Count: 3}, {Section: 0, First: 0, Count: 0}, {Section: 1, First: 0, Count: 1},
		{Section: math.MaxUint32, First: math.MaxUint32, Count: math.MaxUint32},
	} {
		wrong = append(wrong, &layoutpb.UpdatePlacementRequest{Part: &layoutpb.UpdatePlacementRequest_Kept{Kept: kept}})
	}
	for _, request := range wrong {
		if err := update(client, ctx, "packed", first, section, request); status.Code(err) != codes.InvalidArgument {
			t.Errorf("%v: %v", request, err)
		}
	}
}
