// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"math"

	"collectionlayout.example/layoutclient/layoutpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// The elements of one message: about 256 KiB.
const chunk = 4096

// An answer is what a layout placed.
type answer struct {
	layout string
	items  *Items
	placed *Placed
	size   *layoutpb.Size
	count  uint64
	// names are those of all kinds, and kinds their indices.
	names []string
	kinds map[string]uint32
}

// newAnswer checks what a layout returned. Names are those of kinds that were there before.
func newAnswer(layout string, items *Items, placed *Placed, names []string, err error) (*answer, error) {
	if err != nil {
		if _, hasStatus := status.FromError(err); hasStatus {
			return nil, err
		}
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	if placed == nil || len(placed.Cells) != len(items.All) {
		return nil, status.Errorf(codes.Internal, "a layout has to place all of %d items", len(items.All))
	}
	a := &answer{layout: layout, items: items, placed: placed, size: &layoutpb.Size{}, kinds: map[string]uint32{}}
	for _, name := range names {
		a.addKind(name)
	}
	for _, cell := range placed.Cells {
		if cell.Absent {
			continue
		}
		a.count++
		a.size.Width = math.Max(a.size.Width, cell.X+cell.Width)
		a.size.Height = math.Max(a.size.Height, cell.Y+cell.Height)
	}
	for _, other := range placed.Others {
		if other.Absent {
			continue
		}
		a.count++
		a.addKind(other.Kind)
	}
	if !math.IsNaN(placed.Width) {
		a.size.Width = placed.Width
	}
	if !math.IsNaN(placed.Height) {
		a.size.Height = placed.Height
	}
	return a, nil
}

func (a *answer) addKind(name string) {
	if _, isKnown := a.kinds[name]; isKnown {
		return
	}
	a.kinds[name] = uint32(len(a.names))
	a.names = append(a.names, name)
}

// A sender collects elements into messages.
type sender struct {
	answer  *answer
	send    func(*layoutpb.PlacedElements) error
	pending *layoutpb.PlacedElements
}

// everything sends all elements.
func (s *sender) everything() error {
	for number, cell := range s.answer.placed.Cells {
		if cell.Absent {
			continue
		}
		if err := s.cell(number); err != nil {
			return err
		}
	}
	for _, other := range s.answer.placed.Others {
		if other.Absent {
			continue
		}
		if err := s.other(other); err != nil {
			return err
		}
	}
	return s.flush()
}

func (s *sender) cell(number int) error {
	item := s.answer.items.All[number]
	return s.add(layoutpb.ElementCategory_ELEMENT_CATEGORY_CELL, 0, item.Section, item.Index,
		s.answer.placed.Cells[number])
}

func (s *sender) other(other Other) error {
	category := layoutpb.ElementCategory_ELEMENT_CATEGORY_SUPPLEMENTARY
	if other.Decoration {
		category = layoutpb.ElementCategory_ELEMENT_CATEGORY_DECORATION
	}
	return s.add(category, s.answer.kinds[other.Kind], other.Section, other.Item, other.Cell)
}

func (s *sender) add(category layoutpb.ElementCategory, kind uint32, section, item int, cell Cell) error {
	if s.pending == nil {
		s.pending = &layoutpb.PlacedElements{}
	}
	p := s.pending
	p.Count++
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
	return s.send(elements)
}
