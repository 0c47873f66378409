// SPDX-License-Identifier: Apache-2.0

package layoutclient

import (
	"math"

	"collectionlayout.example/layoutclient/layoutpb"
)

// A Point is a position or a displacement, in points. The origin of content coordinates is the content's top
// left corner, and y grows downwards.
type Point struct{ X, Y float64 }

// A Size is a width and a height, in points.
type Size struct{ Width, Height float64 }

// A Rect is an axis-parallel rectangle, in points.
type Rect struct{ X, Y, Width, Height float64 }

// MaxX returns the right edge.
func (r Rect) MaxX() float64 { return r.X + r.Width }

// MaxY returns the lower edge.
func (r Rect) MaxY() float64 { return r.Y + r.Height }

// Meets reports whether the rectangles share an area.
func (r Rect) Meets(other Rect) bool {
	return r.X < other.MaxX() && other.X < r.MaxX() && r.Y < other.MaxY() && other.Y < r.MaxY()
}

func (p Point) plus(other Point) Point { return Point{p.X + other.X, p.Y + other.Y} }

func (p Point) message() *layoutpb.Point { return &layoutpb.Point{X: p.X, Y: p.Y} }

func pointOf(message *layoutpb.Point) Point { return Point{message.GetX(), message.GetY()} }

func sizeOf(message *layoutpb.Size) Size { return Size{message.GetWidth(), message.GetHeight()} }

func rectOf(message *layoutpb.Rect) Rect {
	return Rect{message.GetX(), message.GetY(), message.GetWidth(), message.GetHeight()}
}

// isFinite reports whether no number is infinite or NaN.
func isFinite(numbers ...float64) bool {
	for _, number := range numbers {
		if math.IsNaN(number) || math.IsInf(number, 0) {
			return false
		}
	}
	return true
}
