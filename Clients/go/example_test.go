// SPDX-License-Identifier: Apache-2.0

package layoutclient_test

import (
	"context"

	"collectionlayout.example/layoutclient"
	"collectionlayout.example/layoutclient/layoutpb"
	"google.golang.org/grpc"
)

func draw([]layoutclient.Element, layoutclient.Point) {}

// The example of the README, which the compiler checks here.
func view(ctx context.Context) error {
	client, err := layoutclient.Dial("localhost:50051", grpc.WithInsecure())
	if err != nil {
		return err
	}
	defer client.Close()
	viewer, err := client.Open(ctx, &layoutpb.OpenSession{
		Source:   &layoutpb.OpenSession_Collection{Collection: "collections/artworks"},
		Viewport: &layoutpb.ViewportChange{Size: &layoutpb.Size{Width: 1024, Height: 768}},
	})
	if err != nil {
		return err
	}
	defer viewer.Close()
	for {
		arrival, err := viewer.Next(ctx)
		if err != nil {
			return err
		}
		if _, ok := arrival.(*layoutclient.Change); ok {
			viewer.Read(func(mirror *layoutclient.Mirror, offset layoutclient.Point) {
				draw(mirror.Elements(), offset)
			})
		}
	}
}

func ExampleClient_Open() { _ = view(context.Background()) }
