// SPDX-License-Identifier: Apache-2.0

// Package layoutclient is a client of a collection layout server.
//
// The server computes where the elements of a collection view are, and sends a viewer those around its
// viewport, then only the changes. A Viewer keeps a Mirror of these elements:
//
//	client, err := layoutclient.Dial("localhost:50051", grpc.WithInsecure())
//	...
//	viewer, err := client.Open(ctx, &layoutpb.OpenSession{
//		Source:   &layoutpb.OpenSession_Collection{Collection: "collections/artworks"},
//		Layout:   &layoutpb.LayoutSpec{Kind: &layoutpb.LayoutSpec_Flow{Flow: &layoutpb.FlowLayout{}}},
//		Viewport: &layoutpb.ViewportChange{Size: &layoutpb.Size{Width: 1024, Height: 768}},
//	})
//	...
//	defer viewer.Close()
//	for {
//		arrival, err := viewer.Next(ctx)
//		if err != nil {
//			return err
//		}
//		if _, ok := arrival.(*layoutclient.Change); ok {
//			viewer.Read(func(mirror *layoutclient.Mirror, offset layoutclient.Point) {
//				draw(mirror.Elements(), offset)
//			})
//		}
//	}
//
// Events can be sent from other goroutines meanwhile: ScrollTo, Resize, Update, ChangeLayout, and Send for all
// others. Next reports their results by number, and Perform waits for one.
//
// When a stream breaks, the viewer connects again after 0.1 s, then after twice as long each time, up to 10 s.
// It resumes its session, or opens a new one if the server no longer has it, and sends again what had not been
// applied. Updates are applied once in any case.
//
// The messages are in the package layoutpb. All calls of the protocol can be made with its stubs, which accept a
// Client as their connection; their errors are of type *Problem.
package layoutclient
