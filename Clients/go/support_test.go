// SPDX-License-Identifier: Apache-2.0

package layoutclient

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand"
	"net"
	"os"
	"os/exec"
	"regexp"
	"sync"
	"testing"
	"time"

	"collectionlayout.example/layoutclient/layoutpb"
	"google.golang.org/grpc"
)

// A process is the real server. LAYOUT_SERVER names its binary; without it the test is skipped.
type process struct {
	address string
	command *exec.Cmd
}

func startServer(t *testing.T, options ...string) *process {
	t.Helper()
	binary := os.Getenv("LAYOUT_SERVER")
	if binary == "" {
		t.Skip("LAYOUT_SERVER names no server")
	}
	command := exec.Command(binary, append([]string{"--log-level", "error"}, options...)...)
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	server := &process{command: command}
	t.Cleanup(server.kill)
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		if server.address = regexp.MustCompile(`[0-9.]+:[0-9]+`).FindString(lines.Text()); server.address != "" {
			go func() { _, _ = io.Copy(io.Discard, output) }()
			return server
		}
	}
	t.Fatal("the server did not print its address")
	return nil
}

func (p *process) kill() {
	_ = p.command.Process.Kill()
	_ = p.command.Wait()
}

// A cutter passes connections on to a server until it cuts them.
type cutter struct {
	listener net.Listener
	target   string
	mu       sync.Mutex
	open     []net.Conn
}

func startCutter(t *testing.T, target string) *cutter {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cutter{listener: listener, target: target}
	t.Cleanup(func() { listener.Close(); c.cut() })
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", target)
			if err != nil {
				near.Close()
				continue
			}
			c.mu.Lock()
			c.open = append(c.open, near, far)
			c.mu.Unlock()
			go func() { _, _ = io.Copy(near, far); near.Close() }()
			go func() { _, _ = io.Copy(far, near); far.Close() }()
		}
	}()
	return c
}

func (c *cutter) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, connection := range c.open {
		connection.Close()
	}
	c.open = nil
}

func limited(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func dial(t *testing.T, address string, options ...grpc.DialOption) *Client {
	t.Helper()
	if len(options) == 0 {
		options = []grpc.DialOption{grpc.WithInsecure()}
	}
	client, err := Dial(address, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

// contents returns sections of items with keys and sizes of 20 to 120 points.
func contents(random *rand.Rand, sections, items int) *layoutpb.CollectionContents {
	result := &layoutpb.CollectionContents{CellKindNames: []string{"small", "large"}}
	for section := 0; section < sections; section++ {
		result.Sections = append(result.Sections, &layoutpb.Section{
			Key:    fmt.Sprint("s", section),
			Blocks: []*layoutpb.ItemBlock{block(random, items, fmt.Sprint("i", section))},
		})
	}
	return result
}

func block(random *rand.Rand, count int, prefix string) *layoutpb.ItemBlock {
	result := &layoutpb.ItemBlock{Count: uint32(count)}
	for item := 0; item < count; item++ {
		result.Widths = append(result.Widths, 20+100*random.Float64())
		result.Heights = append(result.Heights, 20+100*random.Float64())
		result.CellKinds = append(result.CellKinds, uint32(random.Intn(2)))
		result.Keys = append(result.Keys, fmt.Sprint(prefix, "-", item))
		result.Data = append(result.Data, fmt.Sprint(prefix, " is a title"))
	}
	return result
}

func createCollection(t *testing.T, client *Client, data *layoutpb.CollectionContents) string {
	t.Helper()
	answer, err := layoutpb.NewCollectionServiceClient(client).CreateCollection(limited(t),
		&layoutpb.CreateCollectionRequest{Contents: data})
	if err != nil {
		t.Fatal(err)
	}
	return answer.Collection.Name
}

func opening(collection string, layout *layoutpb.LayoutSpec) *layoutpb.OpenSession {
	return &layoutpb.OpenSession{
		Source:   &layoutpb.OpenSession_Collection{Collection: collection},
		Layout:   layout,
		Viewport: &layoutpb.ViewportChange{Size: &layoutpb.Size{Width: 400, Height: 600}},
	}
}

func flow() *layoutpb.LayoutSpec {
	return &layoutpb.LayoutSpec{Kind: &layoutpb.LayoutSpec_Flow{Flow: &layoutpb.FlowLayout{
		HeaderReferenceSize:              &layoutpb.Size{Height: 40},
		SectionHeadersPinToVisibleBounds: true,
	}}}
}

func waterfall(columns uint32) *layoutpb.LayoutSpec {
	return &layoutpb.LayoutSpec{Kind: &layoutpb.LayoutSpec_Waterfall{
		Waterfall: &layoutpb.WaterfallLayout{
			Columns: &layoutpb.WaterfallLayout_ColumnCount{ColumnCount: columns}}}}
}

func layouts() map[string]*layoutpb.LayoutSpec {
	return map[string]*layoutpb.LayoutSpec{
		"flow":      flow(),
		"list":      {Kind: &layoutpb.LayoutSpec_List{List: &layoutpb.ListLayout{}}},
		"waterfall": waterfall(3),
		"grid":      {Kind: &layoutpb.LayoutSpec_Grid{Grid: &layoutpb.GridLayout{}}},
		"carousel":  {Kind: &layoutpb.LayoutSpec_Carousel{Carousel: &layoutpb.CarouselLayout{}}},
	}
}

// verify compares the mirror with the server's answer for the same rect. Nothing may change meanwhile.
func verify(t *testing.T, viewer *Viewer) {
	t.Helper()
	units := 64.0
	held := map[ElementKey]Element{}
	tellsData := viewer.opening.GetCapabilities().GetItemData()
	var rect Rect
	viewer.Read(func(mirror *Mirror, _ Point) {
		units, rect = mirror.unitsPerPoint, mirror.Coverage()
		for _, element := range mirror.Elements() {
			held[element.Key] = element
		}
	})
	queries, token, found := layoutpb.NewLayoutQueryServiceClient(viewer.client), "", 0
	for {
		answer, err := queries.QueryElements(limited(t), &layoutpb.QueryElementsRequest{
			Target: &layoutpb.LayoutTarget{
				Source: &layoutpb.LayoutTarget_Session{Session: viewer.Session()}},
			Rect:      &layoutpb.Rect{X: rect.X, Y: rect.Y, Width: rect.Width, Height: rect.Height},
			PageToken: token,
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, message := range answer.Elements {
			expected, err := ElementOf(message)
			if err != nil {
				t.Fatal(err)
			}
			element, isHeld := held[expected.Key]
			if !isHeld || element.ItemKey != expected.ItemKey || element.SectionKey != expected.SectionKey ||
				tellsData && element.ItemData != expected.ItemData || element.Outline != expected.Outline ||
				elementHash(&element, 0, units) != elementHash(&expected, 0, units) ||
				(element.Extras == nil) != (expected.Extras == nil) {
				t.Fatalf("held %+v (%v), expected %+v", element, isHeld, expected)
			}
			found++
		}
		if answer.NextPageToken == "" {
			break
		}
		if answer.NextPageToken == token {
			t.Fatal("the server gave the token of the page that it was asked for")
		}
		token = answer.NextPageToken
	}
	if found != len(held) {
		t.Fatalf("%d elements held, %d expected", len(held), found)
	}
}

func must[Value any](t *testing.T) func(value Value, err error) Value {
	return func(value Value, err error) Value {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}
