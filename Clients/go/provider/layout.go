// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"context"
	"math"

	"collectionlayout.example/layoutclient/layoutpb"
)

// A Layout is a function with a name by which clients ask for it.
type Layout struct {
	Name string
	// Description is for people. "" = none.
	Description string
	// Schema says what parameters may be, as a JSON schema for an object. "" = says nothing.
	Schema string
	// Scroll is the axis along which content grows. Unspecified = both.
	Scroll layoutpb.ScrollDirection
	// MaxItems is the most that it places. 0 = no limit.
	MaxItems uint64
	// Place says where items are. It is called by several goroutines at once. An error tells clients that the
	// parameters are wrong, unless it has another status of gRPC. The context ends when nobody waits any more.
	Place func(ctx context.Context, items *Items, container Container) (*Placed, error)
	// Update says the same as Place after a change of the data, starting from what was placed before. was has for each
	// item its number then; -1 = it is new or has new values. nil = Place says it. Either way servers are sent only
	// what is elsewhere than before. What was placed before must not be changed.
	Update func(ctx context.Context, items *Items, container Container, before *Placed, was []int) (*Placed, error)
}

// Items are all items, section after section.
type Items struct {
	All      []Item
	Sections []Section
}

// An Item is what the data says of one item.
type Item struct {
	Section, Index int
	// Width, Height, X and Y are NaN where the data gives no number.
	Width, Height, X, Y float64
	// Kind is the reuse kind; "" = the unnamed one.
	Kind string
	// Key is "" where the item has none.
	Key string
}

// A Section is what the data says of one section.
type Section struct {
	// Key is "" where the section has none.
	Key string
	// First is the number of its first item in Items.All.
	First, Count int
}

// A Container is what items are placed in: a viewport without its offset, in points.
type Container struct {
	// Width and Height are of the whole viewport, insets included.
	Width, Height float64
	// Content coordinates begin inside of the insets.
	Top, Leading, Bottom, Trailing float64
	// Scale is in pixels per point.
	Scale float64
	// RightToLeft says how reading runs. Nothing is mirrored for the layout.
	RightToLeft bool
	// Parameters are what the client set, as JSON has it: nil, bool, float64, string, []interface{} and maps.
	Parameters map[string]interface{}
}

// Number returns a parameter, or another number where it is not set or is no number.
func (c Container) Number(name string, otherwise float64) float64 {
	if number, ok := c.Parameters[name].(float64); ok {
		return number
	}
	return otherwise
}

// A Cell is where an item is, in points.
type Cell struct {
	X, Y, Width, Height float64
	// Z is higher for what lies nearer to the viewer.
	Z int32
	// Transparency is 0 for what is opaque, and 1 for what cannot be seen.
	Transparency float64
	// Absent items are not shown.
	Absent bool
}

// An Other is an element that is no cell: a supplementary element, or a decoration, which shows no data.
type Other struct {
	Cell
	Kind    string
	Section int
	// Item is the index in the section; -1 = the element belongs to the section.
	Item       int
	Decoration bool
}

// Placed is where everything is. What a layout returned is remembered, so it must not be changed later.
type Placed struct {
	// Cells are those of Items.All, in their order.
	Cells  []Cell
	Others []Other
	// Width and Height are those of the whole content. NaN = up to the farthest edge of a cell.
	Width, Height float64
}

// Place returns as many cells as there are items, for a function to fill, and content up to their edges.
func (items *Items) Place() *Placed {
	return &Placed{Cells: make([]Cell, len(items.All)), Width: math.NaN(), Height: math.NaN()}
}
