// SPDX-License-Identifier: Apache-2.0

package layoutclient

import (
	"fmt"
	"math"

	"collectionlayout.example/layoutclient/layoutpb"
	"google.golang.org/protobuf/types/known/structpb"
)

// A Category says what an element is to a collection view.
type Category uint8

// The categories of elements.
const (
	// Cell shows an item of the data.
	Cell Category = 1
	// Supplementary is content that the data provides beside the cells, such as a header.
	Supplementary Category = 2
	// Decoration is visual adornment that the layout alone provides, such as a background.
	Decoration Category = 3
)

// String returns the name of the category, such as "cell".
func (c Category) String() string {
	switch c {
	case Cell:
		return "cell"
	case Supplementary:
		return "supplementary"
	case Decoration:
		return "decoration"
	}
	return fmt.Sprintf("category %d", uint8(c))
}

// NoItem is the Item of an IndexPath that names a section itself.
const NoItem int64 = -1

// The greatest index of a section or an item.
const maxIndex = math.MaxUint32 - 1

// The most bytes of the name of a kind, by the contract.
const maxKindBytes = 128

// An IndexPath is the position of an item in a collection, or of a section.
type IndexPath struct {
	Section uint32
	// Item is the index within the section, or NoItem.
	Item int64
}

// String returns the indices with a point between them, such as "3.41", or "3" for a section.
func (p IndexPath) String() string {
	if p.Item == NoItem {
		return fmt.Sprint(p.Section)
	}
	return fmt.Sprintf("%d.%d", p.Section, p.Item)
}

// Less reports whether the path comes before another one. A section comes before its items.
func (p IndexPath) Less(other IndexPath) bool {
	if p.Section != other.Section {
		return p.Section < other.Section
	}
	return p.Item < other.Item
}

// Message returns the path as a message.
func (p IndexPath) Message() *layoutpb.IndexPath {
	message := &layoutpb.IndexPath{Section: p.Section}
	if p.Item >= 0 && p.Item <= maxIndex {
		item := uint32(p.Item)
		message.Item = &item
	}
	return message
}

// shifted returns the path with both indices changed; false if the result is not an index path.
func (p IndexPath) shifted(section, item int32) (IndexPath, bool) {
	moved := int64(p.Section) + int64(section)
	if moved < 0 || moved > maxIndex {
		return p, false
	}
	if p.Item == NoItem {
		return IndexPath{uint32(moved), NoItem}, item == 0
	}
	to := p.Item + int64(item)
	return IndexPath{uint32(moved), to}, to >= 0 && to <= maxIndex
}

// An ElementKey identifies an element within one data version of one layout.
type ElementKey struct {
	Category Category
	// Kind is the reuse kind of a cell, and of other elements their kind, such as "header".
	Kind string
	Path IndexPath
}

// String returns the key as text, such as `cell "photo" 3.41`.
func (k ElementKey) String() string { return fmt.Sprintf("%v %q %v", k.Category, k.Kind, k.Path) }

// An Outline is the place of a cell in its outline.
type Outline struct {
	// Level is the number of ancestors.
	Level uint32
	State layoutpb.OutlineState
}

// An Element is an element that the renderer holds. Its zero value has no meaning.
type Element struct {
	// Slot is a small number that the element keeps while it lives; a renderer can recycle views by it.
	Slot uint32
	Key  ElementKey
	// ItemKey is the key of a cell's item, if the client asked for item keys.
	ItemKey string
	// SectionKey is the key of the section of an element that has no item, if the client asked for section keys.
	SectionKey string
	// ItemData is what a cell's item carries for renderers, if the client asked for item data.
	ItemData string
	// Frame is in content coordinates, before Extras.Transform.
	Frame Rect
	// Alpha is the opacity, 0 to 1.
	Alpha float64
	// ZIndex is greater for what is nearer to the viewer.
	ZIndex  int32
	Hidden  bool
	Outline Outline
	// Extras is what few elements have; nil = nothing.
	Extras *Extras
}

// Extras are properties that few elements have.
type Extras struct {
	// Transform has no, 6 or 16 numbers, as layoutpb.Transform says.
	Transform []float64
	// Custom is what a layout adds for renderers that know it; nil = nothing.
	Custom *structpb.Struct
	// Pin is set if the renderer pins elements itself; nil = the element is where its frame is.
	Pin *layoutpb.PinRange
	// ScrollsAcross is as in layoutpb.LayoutElement.
	ScrollsAcross bool
}

// ElementOf reads an element of an answer such as QueryElementsResponse. Its slot is 0.
func ElementOf(message *layoutpb.ElementAttributes) (Element, error) {
	return elementOf(&layoutpb.LayoutElement{
		Key: message.GetKey(), Attributes: message.GetAttributes(),
		ItemKey: message.GetItemKey(), Outline: message.GetOutline(),
		SectionKey: message.GetSectionKey(), ItemData: message.GetItemData(),
	})
}

// elementOf reads an element, and fails if it is none.
func elementOf(message *layoutpb.LayoutElement) (Element, error) {
	attributes := message.GetAttributes()
	element := Element{
		Slot:       message.GetSlot(),
		ItemKey:    message.GetItemKey(),
		SectionKey: message.GetSectionKey(),
		ItemData:   message.GetItemData(),
		Frame:      rectOf(attributes.GetFrame()),
		Alpha:      1,
		ZIndex:     attributes.GetZIndex(),
		Hidden:     attributes.GetHidden(),
		Outline:    Outline{message.GetOutline().GetLevel(), message.GetOutline().GetState()},
	}
	var err error
	if element.Key, err = keyOf(message.GetKey()); err != nil {
		return element, err
	}
	if attributes != nil && attributes.Alpha != nil {
		element.Alpha = *attributes.Alpha
	}
	frame := element.Frame
	if !isFinite(frame.X, frame.Y, frame.Width, frame.Height, element.Alpha) {
		return element, fmt.Errorf("%v has the frame %v and the alpha %v; finite numbers are allowed",
			element.Key, frame, element.Alpha)
	}
	values := attributes.GetTransform().GetValues()
	if count := len(values); !isFinite(values...) || count != 0 && count != 6 && count != 16 {
		return element, fmt.Errorf("%v has the transform %v; 6 or 16 finite numbers are allowed",
			element.Key, values)
	}
	if pin := message.GetPin(); pin != nil &&
		!isFinite(pin.GetMinOffset(), pin.GetMaxOffset(), pin.GetInset()) {
		return element, fmt.Errorf("%v has the pin %v; finite numbers are allowed", element.Key, pin)
	}
	if len(values) > 0 || attributes.GetCustom() != nil || message.GetPin() != nil ||
		message.GetScrollsAcross() {
		element.Extras = &Extras{values, attributes.GetCustom(), message.GetPin(),
			message.GetScrollsAcross()}
	}
	return element, nil
}

func keyOf(message *layoutpb.ElementKey) (ElementKey, error) {
	path := message.GetIndexPath()
	key := ElementKey{Kind: message.GetKind(), Path: IndexPath{path.GetSection(), NoItem}}
	if path != nil && path.Item != nil {
		key.Path.Item = int64(*path.Item)
	}
	category := message.GetCategory()
	if category < layoutpb.ElementCategory(Cell) || category > layoutpb.ElementCategory(Decoration) {
		return key, fmt.Errorf("an element has the category %d; 1 to 3 are allowed", category)
	}
	key.Category = Category(category)
	if err := checkKind(key.Kind); err != nil {
		return key, err
	}
	if key.Path.Section > maxIndex || key.Path.Item > maxIndex {
		return key, fmt.Errorf("an element has the index path %v; indices up to %d are allowed",
			key.Path, uint32(maxIndex))
	}
	return key, nil
}

// checkKind refuses names that are too long: each element's checksum takes time for all of its name.
func checkKind(name string) error {
	if len(name) > maxKindBytes {
		return fmt.Errorf("a kind has %d bytes; %d are allowed", len(name), maxKindBytes)
	}
	return nil
}
