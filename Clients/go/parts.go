// SPDX-License-Identifier: Apache-2.0

package layoutclient

import (
	"fmt"

	"collectionlayout.example/layoutclient/layoutpb"
)

// The most parts of one frame: 1 GiB in the parts of 64 KiB that servers send.
const maxParts = 1 << 14

// A partCount is how many elements some parts of a frame stand for. The protocol guide tells why they are counted
// ("What clients refuse").
type partCount struct {
	parts int
	// Elements that are put, and those of which the index path is shifted; and slots that are emptied.
	put, removed int64
}

// add counts the elements of another part, before any of them is made. It takes time for the part's numbers only.
func (c *partCount) add(part *layoutpb.LayoutFrame, most int) error {
	if c.parts++; c.parts > maxParts {
		return fmt.Errorf("it has more than %d parts", maxParts)
	}
	addTo := func(sum *int64, name string, count int64) error {
		if count > int64(most)-*sum {
			return fmt.Errorf("%s has %d elements after %d of the same frame; %d in all are allowed", name, count,
				*sum, most)
		}
		*sum += count
		return nil
	}
	packed := part.GetPacked()
	if packed == nil {
		if err := addTo(&c.removed, "removed_slots", int64(len(part.GetElements().GetRemovedSlots()))); err != nil {
			return err
		}
		return addTo(&c.put, "upserts", int64(len(part.GetElements().GetUpserts())))
	}
	removed, err := countRuns(packed.RemovedSlotRuns, "removed_slot_runs")
	if err == nil {
		err = addTo(&c.removed, "removed_slot_runs", removed)
	}
	if err != nil {
		return err
	}
	shifted, err := countShifts(packed.IndexShiftRuns)
	if err == nil {
		err = addTo(&c.put, "index_shift_runs", shifted)
	}
	if err == nil {
		err = addTo(&c.put, "upsert_count", int64(packed.UpsertCount))
	}
	if err == nil {
		err = addTo(&c.put, "exceptions", int64(len(packed.Exceptions)))
	}
	return err
}
