// SPDX-License-Identifier: Apache-2.0

package layoutclient

import (
	"fmt"
	"math"

	"collectionlayout.example/layoutclient/layoutpb"
)

// The most kind names from one keyframe to the next. The server has no number for more of them.
const maxKinds = 1 << 16

// differences reads a column of differences: empty for zeros, one value for all, or one for each element.
// Sums cannot overflow: a message has fewer than 2³¹ differences of 32 bits.
type differences struct {
	column []int32
	value  int64
}

func differencesOf(column []int32, name string, count int) (differences, error) {
	if err := checkLength(len(column), name, count); err != nil {
		return differences{}, err
	}
	return differences{column: column}, nil
}

// at returns the next value; index counts the calls from 0 on.
func (d *differences) at(index int) int64 {
	switch {
	case len(d.column) > 1:
		d.value += int64(d.column[index])
	case index == 0 && len(d.column) == 1:
		d.value = int64(d.column[0])
	}
	return d.value
}

// plain returns the value of an element in a column without differences; index is below the length that
// checkLength has checked.
func plain[Value any](column []Value, index int, standard Value) Value {
	switch len(column) {
	case 0:
		return standard
	case 1:
		return column[0]
	}
	return column[index]
}

func checkLength(length int, name string, count int) error {
	if length > 1 && length != count {
		return fmt.Errorf("%s has %d values; none, 1 or %d are allowed", name, length, count)
	}
	return nil
}

// runs reads a column of pairs of a difference and how often it is repeated.
type runs struct {
	column []int32
	value  int64
	left   int32
}

// runsOf checks the lengths of all runs; without any, all values are 0.
func runsOf(column []int32, name string, count int) (runs, error) {
	if len(column) == 0 {
		return runs{}, nil
	}
	found, err := countRuns(column, name)
	if err == nil && found != int64(count) {
		err = fmt.Errorf("%s has %d values; %d are needed", name, found, count)
	}
	return runs{column: column}, err
}

// countRuns returns the number of values, however many there are.
func countRuns(column []int32, name string) (int64, error) {
	if len(column)%2 != 0 {
		return 0, fmt.Errorf("%s has %d numbers; an even number is needed", name, len(column))
	}
	count := int64(0)
	for index := 1; index < len(column); index += 2 {
		if column[index] <= 0 {
			return 0, fmt.Errorf("%s has a run of %d; at least 1 is needed", name, column[index])
		}
		count += int64(column[index])
	}
	return count, nil
}

// countShifts returns the number of slots that groups of four numbers shift, however many there are.
func countShifts(column []int32) (int64, error) {
	if len(column)%4 != 0 {
		return 0, fmt.Errorf("index_shift_runs has %d numbers; a multiple of four is needed", len(column))
	}
	count := int64(0)
	for index := 1; index < len(column); index += 4 {
		if column[index] <= 0 {
			return 0, fmt.Errorf("index_shift_runs has %d slots; at least 1 is needed", column[index])
		}
		count += int64(column[index])
	}
	return count, nil
}

// next returns the next value. There are as many as runsOf was told.
func (r *runs) next() int64 {
	if len(r.column) == 0 {
		return r.value
	}
	if r.left == 0 {
		r.left = r.column[1]
	}
	r.value += int64(r.column[0])
	if r.left--; r.left == 0 {
		r.column = r.column[2:]
	}
	return r.value
}

// appendSlots appends the slots that a part empties, of which countRuns has found so many.
func appendSlots(slots []uint32, column []int32, count int64) ([]uint32, error) {
	reader := runs{column: column}
	for ; count > 0; count-- {
		slot := reader.next()
		if slot < 0 || slot > math.MaxUint32 {
			return slots, fmt.Errorf("removed_slot_runs names slot %d", slot)
		}
		slots = append(slots, uint32(slot))
	}
	return slots, nil
}

// An indexShift changes the index path of live elements in consecutive slots.
type indexShift struct {
	first, count  uint32
	section, item int32
}

// appendShifts appends the index shifts of a part, which countShifts has counted.
func appendShifts(shifts []indexShift, column []int32) ([]indexShift, error) {
	last := int64(0)
	for ; len(column) > 0; column = column[4:] {
		first, count := last+int64(column[0]), int64(column[1])
		if first < 0 || first+count > math.MaxUint32 {
			return shifts, fmt.Errorf("index_shift_runs has %d slots from %d on; slots from 0 to %d are allowed",
				count, first, uint32(math.MaxUint32-1))
		}
		shifts = append(shifts, indexShift{uint32(first), uint32(count), column[2], column[3]})
		last = first + count - 1
	}
	return shifts, nil
}

// packedColumns reads the columns of one part side by side, so that nothing is allocated for an element.
type packedColumns struct {
	message                         *layoutpb.PackedElements
	slots, items                    runs
	categories, kinds, sections     differences
	xs, ys, widths, heights, zs     differences
	levels, states                  differences
	originX, originY, unitsPerPoint float64
	kindNames                       []string
	// How many elements without an item have been read.
	ofSections int
}

// columnsOf checks the lengths of all columns. The caller has checked upsert_count against what a frame may have.
func columnsOf(
	message *layoutpb.PackedElements, kindNames []string, unitsPerPoint float64,
) (*packedColumns, error) {
	count := int(message.UpsertCount)
	// Elements have different slots, so an empty column, which stands for zeros, fits one element at most.
	if count > 1 && len(message.SlotRuns) == 0 {
		return nil, fmt.Errorf("slot_runs is empty for %d elements", count)
	}
	c := &packedColumns{
		message: message, kindNames: kindNames, unitsPerPoint: unitsPerPoint,
		originX: float64(message.OriginX), originY: float64(message.OriginY),
	}
	var err error
	check := func(found error) {
		if err == nil {
			err = found
		}
	}
	takeRuns := func(into *runs, column []int32, name string) {
		var found error
		*into, found = runsOf(column, name, count)
		check(found)
	}
	take := func(into *differences, column []int32, name string) {
		var found error
		*into, found = differencesOf(column, name, count)
		check(found)
	}
	takeRuns(&c.slots, message.SlotRuns, "slot_runs")
	takeRuns(&c.items, message.ItemRuns, "item_runs")
	take(&c.categories, message.Categories, "categories")
	take(&c.kinds, message.Kinds, "kinds")
	take(&c.sections, message.Sections, "sections")
	take(&c.xs, message.Xs, "xs")
	take(&c.ys, message.Ys, "ys")
	take(&c.widths, message.Widths, "widths")
	take(&c.heights, message.Heights, "heights")
	take(&c.zs, message.ZIndices, "z_indices")
	take(&c.levels, message.GetOutline().GetLevels(), "outline.levels")
	take(&c.states, message.GetOutline().GetStates(), "outline.states")
	check(checkLength(len(message.Alphas), "alphas", count))
	check(checkLength(len(message.Hidden), "hidden", count))
	check(checkLength(len(message.ItemKeys), "item_keys", count))
	check(checkLength(len(message.ItemData), "item_data", count))
	if err == nil && len(message.SectionKeys) > 1 {
		check(checkLength(len(message.SectionKeys), "section_keys", countOfSections(c.items, count)))
	}
	return c, err
}

// countOfSections returns how many elements have no item.
func countOfSections(items runs, count int) int {
	found := 0
	for index := 0; index < count; index++ {
		if items.next() == 0 {
			found++
		}
	}
	return found
}

// read sets the next element; index counts the calls from 0 on, below upsert_count.
func (c *packedColumns) read(index int, element *Element) error {
	slot, item := c.slots.next(), c.items.next()
	category, kind, section := c.categories.at(index), c.kinds.at(index), c.sections.at(index)
	width, height, z := c.widths.at(index), c.heights.at(index), c.zs.at(index)
	level, state := c.levels.at(index), c.states.at(index)
	name, isNamed := c.kindName(kind)
	if !isNamed || slot < 0 || slot > math.MaxUint32 || section < 0 || section > maxIndex ||
		item < 0 || item > maxIndex+1 || category < int64(Cell) || category > int64(Decoration) ||
		width < 0 || height < 0 || int64(int32(z)) != z ||
		level < 0 || level > math.MaxUint32 || int64(int32(state)) != state {
		return fmt.Errorf("element %d of the columns has a category, kind, slot, index path, size, z-index or "+
			"outline position out of range", index)
	}
	*element = Element{
		Slot:     uint32(slot),
		Key:      ElementKey{Category(category), name, IndexPath{uint32(section), item - 1}},
		ItemKey:  plain(c.message.ItemKeys, index, ""),
		ItemData: plain(c.message.ItemData, index, ""),
		Frame: Rect{
			(c.originX + float64(c.xs.at(index))) / c.unitsPerPoint,
			(c.originY + float64(c.ys.at(index))) / c.unitsPerPoint,
			float64(width) / c.unitsPerPoint,
			float64(height) / c.unitsPerPoint,
		},
		Alpha:   1,
		ZIndex:  int32(z),
		Hidden:  plain(c.message.Hidden, index, false),
		Outline: Outline{uint32(level), layoutpb.OutlineState(state)},
	}
	if item == 0 {
		element.SectionKey = plain(c.message.SectionKeys, c.ofSections, "")
		c.ofSections++
	}
	if alpha := plain(c.message.Alphas, index, 65535); alpha < 65535 {
		element.Alpha = float64(alpha) / 65535
	}
	return nil
}

func (c *packedColumns) kindName(index int64) (string, bool) {
	if index >= 0 && index < int64(len(c.kindNames)) {
		return c.kindNames[index], true
	}
	// Before the server has sent any name, kind 0 is the unnamed kind of cells.
	return "", index == 0 && len(c.kindNames) == 0
}
