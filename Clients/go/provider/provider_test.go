// SPDX-License-Identifier: Apache-2.0

package provider_test

import (
	"bufio"
	"context"
	"io"
	"log"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"collectionlayout.example/layoutclient"
	"collectionlayout.example/layoutclient/layoutpb"
	"collectionlayout.example/layoutclient/provider"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"
)

// serve runs a provider until the test ends.
func serve(t *testing.T, server *provider.Server) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	go func() { _ = server.Serve(ctx, listener) }()
	return listener.Addr().String()
}

// layoutServer starts the real server, which LAYOUT_SERVER names.
func layoutServer(t *testing.T, options ...string) string {
	t.Helper()
	binary := os.Getenv("LAYOUT_SERVER")
	if binary == "" {
		t.Skip("LAYOUT_SERVER names no server")
	}
	command := exec.Command(binary,
		append([]string{"--port", "0", "--store", "memory", "--log-level", "error"}, options...)...)
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = command.Process.Kill(); _ = command.Wait() })
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		if address := regexp.MustCompile(`[0-9.]+:[0-9]+`).FindString(lines.Text()); address != "" {
			go func() { _, _ = io.Copy(io.Discard, output) }()
			return address
		}
	}
	t.Fatal("the server did not print its address")
	return ""
}

func query(t *testing.T, address string, parameters map[string]interface{}) (*layoutpb.QueryElementsResponse, error) {
	t.Helper()
	client, err := layoutclient.Dial(address, grpc.WithInsecure())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	values, err := structpb.NewStruct(parameters)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return layoutpb.NewLayoutQueryServiceClient(client).QueryElements(ctx, &layoutpb.QueryElementsRequest{
		Target: &layoutpb.LayoutTarget{
			Source: &layoutpb.LayoutTarget_InlineContents{InlineContents: &layoutpb.CollectionContents{
				Sections: []*layoutpb.Section{{Blocks: []*layoutpb.ItemBlock{{Count: 5000}}}}}},
			Layout: &layoutpb.LayoutSpec{Kind: &layoutpb.LayoutSpec_Custom{
				Custom: &layoutpb.CustomLayout{Name: "spiral", Parameters: values}}},
			Viewport: &layoutpb.ViewportChange{Size: &layoutpb.Size{Width: 200, Height: 200}},
		},
		Rect: &layoutpb.Rect{X: 90, Y: 90, Width: 10, Height: 10},
	})
}

func TestWhatAFunctionPlacesIsSeen(t *testing.T) {
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	address := serve(t, &provider.Server{
		Layouts: []provider.Layout{{Name: "spiral", Place: spiral}}, Token: "secret"})
	server := layoutServer(t, "--layout-provider", "spiral="+address, "--layout-provider-token-file", token)
	found, err := query(t, server, map[string]interface{}{"size": 10})
	if err != nil {
		t.Fatal(err)
	}
	first := found.Elements[0].Attributes.Frame
	if len(found.Elements) == 0 || first.X != 95 || first.Y != 95 || first.Width != 10 {
		t.Fatalf("%d elements, the first at %v", len(found.Elements), first)
	}
	if _, err := query(t, server, map[string]interface{}{"size": -1}); err == nil ||
		!strings.Contains(err.Error(), "0 or more is allowed") {
		t.Fatalf("the parameters were not refused: %v", err)
	}
}

func TestACallerWithoutTheTokenIsRefused(t *testing.T) {
	address := serve(t, &provider.Server{
		Layouts: []provider.Layout{{Name: "spiral", Place: spiral}}, Token: "secret"})
	server := layoutServer(t, "--layout-provider", "spiral="+address)
	if _, err := query(t, server, nil); err == nil || !strings.Contains(err.Error(), "token") {
		t.Fatalf("the call was not refused: %v", err)
	}
}

func TestALayoutThatPanicsEndsItsCallOnly(t *testing.T) {
	log.SetOutput(io.Discard)
	defer log.SetOutput(os.Stderr)
	server := &provider.Server{Layouts: []provider.Layout{{Name: "faulty",
		Place: func(context.Context, *provider.Items, provider.Container) (*provider.Placed, error) {
			panic("a fault of the layout")
		}}}}
	client, ctx := dial(t, server)
	for attempt := 0; attempt < 2; attempt++ {
		if _, err := prepare(client, ctx, prepareStart("faulty")); status.Code(err) != codes.Internal {
			t.Fatalf("%v found", err)
		}
	}
}
