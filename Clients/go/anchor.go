// SPDX-License-Identifier: Apache-2.0

package layoutclient

import (
	"sort"

	"collectionlayout.example/layoutclient/layoutpb"
)

// A screenAnchor holds where visible items were, to restore the offset in a new session. Items are found by
// their keys, because their index paths may have changed.
type screenAnchor struct {
	keys    []string
	origins []Point
}

// anchorOf returns nil if there is nothing to anchor to: the mode is none, the viewport is at the start of the
// content, or no visible item has a key.
func anchorOf(mirror *Mirror, visible Rect, mode layoutpb.AnchorMode) *screenAnchor {
	isLast := mode == layoutpb.AnchorMode_ANCHOR_MODE_LAST_VISIBLE
	if mode == layoutpb.AnchorMode_ANCHOR_MODE_NONE || !isLast && visible.X == 0 && visible.Y == 0 {
		return nil
	}
	var cells []*Element
	for index := range mirror.elements {
		element := &mirror.elements[index]
		if element.Key.Category == Cell && element.ItemKey != "" && element.Frame.Meets(visible) {
			cells = append(cells, element)
		}
	}
	if len(cells) == 0 {
		return nil
	}
	sort.Slice(cells, func(a, b int) bool {
		return cells[a].Key.Path.Less(cells[b].Key.Path) != isLast
	})
	anchor := &screenAnchor{}
	for _, cell := range cells {
		anchor.keys = append(anchor.keys, cell.ItemKey)
		anchor.origins = append(anchor.origins, Point{cell.Frame.X, cell.Frame.Y})
	}
	return anchor
}

// displacement returns how far the first item that is still there has moved; zero if none is there.
func (a *screenAnchor) displacement(mirror *Mirror) Point {
	origins := map[string]Point{}
	for index := range mirror.elements {
		element := &mirror.elements[index]
		if element.Key.Category == Cell && element.ItemKey != "" {
			origins[element.ItemKey] = Point{element.Frame.X, element.Frame.Y}
		}
	}
	for index, key := range a.keys {
		if origin, ok := origins[key]; ok {
			return Point{origin.X - a.origins[index].X, origin.Y - a.origins[index].Y}
		}
	}
	return Point{}
}
