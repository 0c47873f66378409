// SPDX-License-Identifier: Apache-2.0

package layoutclient

import (
	"collectionlayout.example/layoutclient/layoutpb"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// What a session has applied, as the opening of the one that would follow it has it. Messages are not changed but
// replaced, because a stream may be sending them.

// maxKeys bounds the keys of an opening: more than servers accept by default would end the session where it could
// go on.
const maxKeys = 10_000

// maxSectionOffsets is how many offsets of sections servers accept. The newest are kept.
const maxSectionOffsets = 4096

// mergedTable returns the changes of columns after another one.
func mergedTable(table, change *layoutpb.TableChange) *layoutpb.TableChange {
	merged := &layoutpb.TableChange{Order: change.GetOrder()}
	var before []*layoutpb.TableColumnChange
	if !change.GetReset_() {
		before = table.GetColumns()
		if merged.Order == nil {
			merged.Order = table.GetOrder()
		}
	}
	named := map[string]int{}
	for _, column := range append(append([]*layoutpb.TableColumnChange{}, before...), change.GetColumns()...) {
		if place, ok := named[column.Id]; ok {
			merged.Columns[place] = column
			continue
		}
		named[column.Id] = len(merged.Columns)
		merged.Columns = append(merged.Columns, column)
	}
	kept := merged.Columns[:0]
	for _, column := range merged.Columns {
		// Without fields a column is as the layout has it.
		if column.Width != nil || column.Hidden != nil ||
			column.Place != layoutpb.TableColumnPlace_TABLE_COLUMN_PLACE_UNSPECIFIED {
			kept = append(kept, column)
		}
	}
	merged.Columns = kept
	return merged
}

// mergedExpansions returns what is expanded after a change. What is below the items that it names is not known here.
func mergedExpansions(
	expansions *layoutpb.ExpansionState, change *layoutpb.OutlineChange,
) *layoutpb.ExpansionState {
	merged := &layoutpb.ExpansionState{
		Base:      expansions.GetBase(),
		Expanded:  movedKeys(expansions.GetExpanded(), change.GetExpand(), change.GetCollapse()),
		Collapsed: movedKeys(expansions.GetCollapsed(), change.GetCollapse(), change.GetExpand()),
	}
	longer := &merged.Collapsed
	if len(merged.Expanded) > len(merged.Collapsed) {
		longer = &merged.Expanded
	}
	if extra := len(merged.Expanded) + len(merged.Collapsed) - maxKeys; extra > 0 {
		if extra > len(*longer) {
			extra = len(*longer)
		}
		*longer = (*longer)[extra:]
	}
	return merged
}

func movedKeys(keys, added, removed []string) []string {
	moved := map[string]bool{}
	for _, key := range append(append([]string{}, added...), removed...) {
		moved[key] = true
	}
	var result []string
	for _, key := range keys {
		if !moved[key] {
			result = append(result, key)
		}
	}
	for _, key := range added {
		if moved[key] {
			moved[key] = false
			result = append(result, key)
		}
	}
	return result
}

// mergedViewport returns a change and a newer one combined: of each field the newer value counts.
func mergedViewport(older, newer *layoutpb.ViewportChange) *layoutpb.ViewportChange {
	merged := &layoutpb.ViewportChange{}
	proto.Merge(merged, newer)
	if older == nil {
		return merged
	}
	result := merged.ProtoReflect()
	older.ProtoReflect().Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		if field.HasPresence() && !result.Has(field) {
			result.Set(field, value)
		}
		return true
	})
	if newer.ContentOffset == nil && older.ContentOffset != nil {
		// The frame belongs to the offset that was read in it.
		merged.ObservedFrameSeq = older.ObservedFrameSeq
	}
	named := map[uint32]bool{}
	for _, offset := range newer.SectionOffsets {
		named[offset.Section] = true
	}
	var offsets []*layoutpb.SectionOffset
	for _, offset := range older.SectionOffsets {
		if !named[offset.Section] {
			offsets = append(offsets, offset)
		}
	}
	offsets = append(offsets, newer.SectionOffsets...)
	if extra := len(offsets) - maxSectionOffsets; extra > 0 {
		offsets = offsets[extra:]
	}
	merged.SectionOffsets = offsets
	return merged
}
