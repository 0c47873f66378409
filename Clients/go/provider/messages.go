// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"io"
	"math"

	"collectionlayout.example/layoutclient/layoutpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// The elements of one message: about 256 KiB.
const chunk = 4096

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

// collect reads items to the end of the request.
func collect(start *layoutpb.PrepareLayoutStart,
	receive func() (*layoutpb.PrepareLayoutRequest, error)) (*Items, error) {
	names := start.GetCellKindNames()
	if len(names) == 0 {
		names = []string{""}
	}
	items := &Items{}
	for {
		request, err := receive()
		if err == io.EOF {
			return items, nil
		}
		if err != nil {
			return nil, err
		}
		switch part := request.GetPart().(type) {
		case *layoutpb.PrepareLayoutRequest_Section:
			items.Sections = append(items.Sections, Section{Key: part.Section.GetKey(), First: len(items.All)})
		case *layoutpb.PrepareLayoutRequest_Items:
			if len(items.Sections) == 0 {
				return nil, status.Error(codes.InvalidArgument, "items came before a section")
			}
			if err := items.add(part.Items, names); err != nil {
				return nil, err
			}
		default:
			return nil, status.Error(codes.InvalidArgument, "a request has no part that is known here")
		}
	}
}

func (items *Items) add(block *layoutpb.ItemBlock, names []string) error {
	count := int(block.GetCount())
	for _, length := range []int{len(block.Widths), len(block.Heights), len(block.Xs), len(block.Ys),
		len(block.CellKinds), len(block.Keys)} {
		if length > 1 && length != count {
			return status.Errorf(codes.InvalidArgument, "a column has %d values for %d items", length, count)
		}
	}
	section := len(items.Sections) - 1
	for offset := 0; offset < count; offset++ {
		kind := int(pick(block.CellKinds, offset, 0))
		if kind >= len(names) {
			return status.Errorf(codes.InvalidArgument, "there is no cell kind %d", kind)
		}
		items.All = append(items.All, Item{
			Section: section,
			Index:   items.Sections[section].Count + offset,
			Width:   pick(block.Widths, offset, math.NaN()),
			Height:  pick(block.Heights, offset, math.NaN()),
			X:       pick(block.Xs, offset, math.NaN()),
			Y:       pick(block.Ys, offset, math.NaN()),
			Kind:    names[kind],
			Key:     pick(block.Keys, offset, ""),
		})
	}
	items.Sections[section].Count += count
	return nil
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

// answer sends all that was placed.
func answer(items *Items, placed *Placed, send func(*layoutpb.PrepareLayoutResponse) error) error {
	if placed == nil || len(placed.Cells) != len(items.All) {
		return status.Errorf(codes.Internal, "a layout has to place all of %d items", len(items.All))
	}
	sender := &sender{send: send}
	for number, cell := range placed.Cells {
		if cell.Absent {
			continue
		}
		item := items.All[number]
		if err := sender.add(layoutpb.ElementCategory_ELEMENT_CATEGORY_CELL, 0, item.Section, item.Index, cell); err != nil {
			return err
		}
		sender.size.Width = math.Max(sender.size.Width, cell.X+cell.Width)
		sender.size.Height = math.Max(sender.size.Height, cell.Y+cell.Height)
	}
	kinds := map[string]uint32{}
	var names []string
	for _, other := range placed.Others {
		if other.Absent {
			continue
		}
		kind, isKnown := kinds[other.Kind]
		if !isKnown {
			kind = uint32(len(names))
			kinds[other.Kind] = kind
			names = append(names, other.Kind)
		}
		category := layoutpb.ElementCategory_ELEMENT_CATEGORY_SUPPLEMENTARY
		if other.Decoration {
			category = layoutpb.ElementCategory_ELEMENT_CATEGORY_DECORATION
		}
		if err := sender.add(category, kind, other.Section, other.Item, other.Cell); err != nil {
			return err
		}
	}
	if err := sender.flush(); err != nil {
		return err
	}
	if !math.IsNaN(placed.Width) {
		sender.size.Width = placed.Width
	}
	if !math.IsNaN(placed.Height) {
		sender.size.Height = placed.Height
	}
	return send(&layoutpb.PrepareLayoutResponse{Part: &layoutpb.PrepareLayoutResponse_End{
		End: &layoutpb.PrepareLayoutEnd{
			ContentSize:  &layoutpb.Size{Width: sender.size.Width, Height: sender.size.Height},
			ElementCount: sender.count,
			KindNames:    names,
		}}})
}

// A sender collects elements into messages.
type sender struct {
	send    func(*layoutpb.PrepareLayoutResponse) error
	pending *layoutpb.PlacedElements
	count   uint64
	size    struct{ Width, Height float64 }
}

func (s *sender) add(category layoutpb.ElementCategory, kind uint32, section, item int, cell Cell) error {
	if s.pending == nil {
		s.pending = &layoutpb.PlacedElements{}
	}
	p := s.pending
	p.Count++
	s.count++
	p.Categories = append(p.Categories, category)
	p.Kinds = append(p.Kinds, kind)
	p.Sections = append(p.Sections, uint32(section))
	p.Items = append(p.Items, int32(item))
	p.Xs = append(p.Xs, cell.X)
	p.Ys = append(p.Ys, cell.Y)
	p.Widths = append(p.Widths, cell.Width)
	p.Heights = append(p.Heights, cell.Height)
	p.ZIndices = append(p.ZIndices, cell.Z)
	p.Alphas = append(p.Alphas, 1-cell.Transparency)
	if p.Count < chunk {
		return nil
	}
	return s.flush()
}

func (s *sender) flush() error {
	if s.pending == nil {
		return nil
	}
	elements := s.pending
	s.pending = nil
	return s.send(&layoutpb.PrepareLayoutResponse{
		Part: &layoutpb.PrepareLayoutResponse_Elements{Elements: elements}})
}
