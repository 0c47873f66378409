// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"math"

	"collectionlayout.example/layoutclient/layoutpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func container(start *layoutpb.PrepareLayoutStart) Container {
	given := start.GetContainer()
	return Container{
		Width:       given.GetSize().GetWidth(),
		Height:      given.GetSize().GetHeight(),
		Top:         given.GetInsets().GetTop(),
		Leading:     given.GetInsets().GetLeading(),
		Bottom:      given.GetInsets().GetBottom(),
		Trailing:    given.GetInsets().GetTrailing(),
		Scale:       given.GetDisplayScale(),
		RightToLeft: given.GetRightToLeft(),
		Parameters:  start.GetParameters().AsMap(),
	}
}

// A collector puts items together from the parts of a request.
type collector struct {
	items Items
	// was has the number of each item before the change; -1 = it is new or has new values.
	was []int
	// sections have the index of each section before the change; -1 = it is new.
	sections []int

	names              []string
	most, mostSections int
	// old are the items with which the change began.
	old *Items
}

func (c *collector) prepare(request *layoutpb.PrepareLayoutRequest) error {
	switch part := request.GetPart().(type) {
	case *layoutpb.PrepareLayoutRequest_Section:
		return c.addSection(part.Section.GetKey(), -1)
	case *layoutpb.PrepareLayoutRequest_Items:
		return c.addBlock(part.Items)
	}
	return invalid("a request has no part that is known here, or a second start")
}

func (c *collector) update(request *layoutpb.UpdatePlacementRequest) error {
	switch part := request.GetPart().(type) {
	case *layoutpb.UpdatePlacementRequest_Section:
		was := -1
		if part.Section.Was != nil {
			was = int(part.Section.GetWas())
			if was >= len(c.old.Sections) {
				return invalid("section.was is %d; there were %d sections", was, len(c.old.Sections))
			}
		}
		return c.addSection(part.Section.GetHeader().GetKey(), was)
	case *layoutpb.UpdatePlacementRequest_Kept:
		return c.addKept(part.Kept)
	case *layoutpb.UpdatePlacementRequest_Items:
		return c.addBlock(part.Items)
	}
	return invalid("a request has no part that is known here, or a second start")
}

func (c *collector) addSection(key string, was int) error {
	if len(c.items.Sections) >= c.mostSections {
		return status.Errorf(codes.ResourceExhausted, "more than %d sections came", c.mostSections)
	}
	c.items.Sections = append(c.items.Sections, Section{Key: key, First: len(c.items.All)})
	c.sections = append(c.sections, was)
	return nil
}

// grow checks that more items may come, and returns the index of their section.
func (c *collector) grow(count int) (int, error) {
	if len(c.items.Sections) == 0 {
		return 0, invalid("items came before a section")
	}
	if count > c.most-len(c.items.All) {
		return 0, status.Errorf(codes.ResourceExhausted, "%d items came; at most %d are allowed",
			len(c.items.All)+count, c.most)
	}
	return len(c.items.Sections) - 1, nil
}

func (c *collector) addBlock(block *layoutpb.ItemBlock) error {
	count := int(block.GetCount())
	for _, length := range []int{len(block.Widths), len(block.Heights), len(block.Xs), len(block.Ys),
		len(block.CellKinds), len(block.Keys)} {
		if length > 1 && length != count {
			return invalid("a column has %d values for %d items", length, count)
		}
	}
	section, err := c.grow(count)
	if err != nil {
		return err
	}
	for offset := 0; offset < count; offset++ {
		kind := int(pick(block.CellKinds, offset, 0))
		if kind >= len(c.names) {
			return invalid("there is no cell kind %d", kind)
		}
		c.items.All = append(c.items.All, Item{
			Section: section,
			Index:   c.items.Sections[section].Count + offset,
			Width:   pick(block.Widths, offset, math.NaN()),
			Height:  pick(block.Heights, offset, math.NaN()),
			X:       pick(block.Xs, offset, math.NaN()),
			Y:       pick(block.Ys, offset, math.NaN()),
			Kind:    c.names[kind],
			Key:     pick(block.Keys, offset, ""),
		})
		c.was = append(c.was, -1)
	}
	c.items.Sections[section].Count += count
	return nil
}

func (c *collector) addKept(kept *layoutpb.KeptItems) error {
	was, first, count := int(kept.GetSection()), int(kept.GetFirst()), int(kept.GetCount())
	var had Section
	if was < len(c.old.Sections) {
		had = c.old.Sections[was]
	}
	if count < 1 || first+count > had.Count {
		return invalid("kept has %d items from %d on of section %d; it had %d", count, first, was, had.Count)
	}
	section, err := c.grow(count)
	if err != nil {
		return err
	}
	for number := had.First + first; number < had.First+first+count; number++ {
		item := c.old.All[number]
		item.Section, item.Index = section, len(c.items.All)-c.items.Sections[section].First
		c.items.All = append(c.items.All, item)
		c.was = append(c.was, number)
	}
	c.items.Sections[section].Count += count
	return nil
}

func invalid(format string, values ...interface{}) error {
	return status.Errorf(codes.InvalidArgument, format, values...)
}

// pick returns a value of a column: it is empty, or has one value for all, or one for each.
func pick[Value any](column []Value, offset int, otherwise Value) Value {
	switch len(column) {
	case 0:
		return otherwise
	case 1:
		return column[0]
	}
	return column[offset]
}
