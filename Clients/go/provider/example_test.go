// SPDX-License-Identifier: Apache-2.0

package provider_test

import (
	"context"
	"fmt"
	"math"

	"collectionlayout.example/layoutclient/provider"
)

// The example of the README.
func spiral(_ context.Context, items *provider.Items, in provider.Container) (*provider.Placed, error) {
	size, placed := in.Number("size", 20), items.Place()
	if size < 0 {
		return nil, fmt.Errorf("size: %v found; 0 or more is allowed", size)
	}
	for i := range placed.Cells {
		angle := math.Sqrt(40 * float64(i))
		x, y := in.Width/2+3*angle*math.Cos(angle), in.Width/2+3*angle*math.Sin(angle)
		placed.Cells[i] = provider.Cell{X: x - size/2, Y: y - size/2, Width: size, Height: size}
	}
	placed.Width, placed.Height = in.Width, in.Width
	return placed, nil
}

func Example() {
	items := &provider.Items{All: make([]provider.Item, 2)}
	placed, _ := spiral(context.Background(), items, provider.Container{Width: 200})
	fmt.Println(placed.Cells[0].X, placed.Cells[0].Y)
	// Output: 90 90
}

func ExampleServe() {
	_ = provider.Serve("127.0.0.1:-1", provider.Layout{Name: "spiral", Place: spiral})
}
