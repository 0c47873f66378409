// SPDX-License-Identifier: Apache-2.0

package provider

import "collectionlayout.example/layoutclient/layoutpb"

// A difference is what a change moved.
type difference struct {
	// cells and goneCells are numbers of items.
	cells, goneCells []int
	others, gone     []Other
}

// A place is where an element belongs that is no cell.
type place struct {
	kind          string
	section, item int
	isDecoration  bool
}

func placeOf(other Other) place {
	item := other.Item
	if item < 0 {
		item = -1
	}
	return place{other.Kind, other.Section, item, other.Decoration}
}

func newDifference(now, before *answer, collector *collector) *difference {
	d := &difference{}
	for number, was := range collector.was {
		cell, then := now.placed.Cells[number], Cell{Absent: true}
		if was >= 0 {
			then = before.placed.Cells[was]
		}
		switch {
		case cell == then || cell.Absent && then.Absent:
		case cell.Absent:
			d.goneCells = append(d.goneCells, number)
		default:
			d.cells = append(d.cells, number)
		}
	}
	stays := staying(before, collector)
	for _, other := range now.placed.Others {
		if other.Absent {
			continue
		}
		where := placeOf(other)
		if old, isThere := stays[where]; !isThere || old.Cell != other.Cell {
			d.others = append(d.others, other)
		}
		delete(stays, where)
	}
	for _, other := range stays {
		d.gone = append(d.gone, other)
	}
	return d
}

// staying returns the other elements from before that stay unless something else is said, where they belong now.
func staying(before *answer, collector *collector) map[place]Other {
	stays := map[place]Other{}
	if len(before.placed.Others) == 0 {
		return stays
	}
	sections, numbers := map[int]int{}, map[int]int{}
	for now, was := range collector.sections {
		sections[was] = now
	}
	for now, was := range collector.was {
		numbers[was] = now
	}
	for _, other := range before.placed.Others {
		if other.Absent || other.Section < 0 || other.Section >= len(before.items.Sections) {
			continue
		}
		if other.Item < 0 {
			now, isThere := sections[other.Section]
			if !isThere {
				continue
			}
			other.Section = now
		} else {
			now, isThere := numbers[before.items.Sections[other.Section].First+other.Item]
			if !isThere {
				continue
			}
			item := collector.items.All[now]
			other.Section, other.Item = item.Section, item.Index
		}
		stays[placeOf(other)] = other
	}
	return stays
}

// send sends it as the elements that come and those that go.
func (d *difference) send(now *answer, send func(*layoutpb.UpdatePlacementResponse) error) error {
	placed := &sender{answer: now, send: func(elements *layoutpb.PlacedElements) error {
		return send(&layoutpb.UpdatePlacementResponse{
			Part: &layoutpb.UpdatePlacementResponse_Elements{Elements: elements}})
	}}
	removed := &sender{answer: now, send: func(elements *layoutpb.PlacedElements) error {
		return send(&layoutpb.UpdatePlacementResponse{Part: &layoutpb.UpdatePlacementResponse_Removed{
			Removed: &layoutpb.RemovedElements{
				Count:      elements.Count,
				Categories: elements.Categories,
				Kinds:      elements.Kinds,
				Sections:   elements.Sections,
				Items:      elements.Items,
			}}})
	}}
	if err := placed.some(d.cells, d.others); err != nil {
		return err
	}
	return removed.some(d.goneCells, d.gone)
}

func (s *sender) some(cells []int, others []Other) error {
	for _, number := range cells {
		if err := s.cell(number); err != nil {
			return err
		}
	}
	for _, other := range others {
		if err := s.other(other); err != nil {
			return err
		}
	}
	return s.flush()
}
