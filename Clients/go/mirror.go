// SPDX-License-Identifier: Apache-2.0

package layoutclient

import (
	"fmt"
	"unsafe"

	"collectionlayout.example/layoutclient/layoutpb"
	"google.golang.org/protobuf/proto"
)

// Limits bound what a mirror keeps, so that a server cannot fill the client's memory. Fields that are 0 have
// their defaults.
type Limits struct {
	// Elements that may be live, that all parts of one frame may add and change together, and that they may
	// remove; by default 1,048,576, more than any server sends.
	Elements int
	// Bytes of memory that the live elements may take, and those that one frame brings, an estimate; by default
	// 1 GiB.
	Bytes int
}

func (l Limits) orDefaults() Limits {
	if l.Elements <= 0 {
		l.Elements = 1 << 20
	}
	if l.Bytes <= 0 {
		l.Bytes = 1 << 30
	}
	return l
}

// A FrameError is a frame that a mirror cannot apply. The caller rejects it, and a keyframe follows.
type FrameError struct {
	// FrameSeq is the number of the frame.
	FrameSeq uint64
	// Reason says what was found and what is allowed, for people.
	Reason string
}

// Error returns the number of the frame and the reason.
func (e *FrameError) Error() string { return fmt.Sprintf("frame %d: %s", e.FrameSeq, e.Reason) }

// A Change is what one frame changed in a mirror.
type Change struct {
	FrameSeq    uint64
	DataVersion uint64
	// Keyframe is set if the frame replaced all elements.
	Keyframe bool
	// Upserted are the slots of elements that are new or that changed, those included of which only the
	// index path changed.
	Upserted []uint32
	// Removed are the elements that left, as they were; with a keyframe all that were live.
	Removed []Element
	// OffsetAdjustment was added to the content offset, so that what is visible stays in place.
	OffsetAdjustment Point
	// MergedEvents counts the events and batches in the frame beyond the first.
	MergedEvents uint32
	// Animated is set if the change is to be animated: elements that were there before and after it move,
	// Appearing holds the initial attributes of those that are new, and Disappearing the final attributes
	// of those that leave.
	Animated                bool
	Appearing, Disappearing []Element
}

// A Mirror is a client's copy of the live elements of a session, updated frame by frame. It accepts both
// encodings, and checks every frame: that it builds on the one before, that the slots it empties are filled,
// and that number and checksum of the elements are those that the server states.
//
// A Viewer has a mirror and updates it. Use NewMirror only with a stream of your own. A mirror must not be used
// from several goroutines at once.
type Mirror struct {
	unitsPerPoint float64
	limits        Limits

	// Live elements in any order, the hash of each, and the commit that put it.
	elements []Element
	hashes   []uint32
	putBy    []uint64
	commits  uint64
	// Where each slot's element is in elements.
	places    map[uint32]int
	checksum  uint32
	bytes     int
	kindNames []string
	nameBytes int
	// Hashes of some kinds that were met, at most maxKindHashes.
	kindHashes map[string]uint32

	frameSeq, dataVersion, layoutVersion, appliedEvent uint64
	contentSize                                        Size
	coverage                                           Rect
	everyScroll                                        bool
	effects                                            *layoutpb.ScrollEffects
	sectionScrolls                                     []*layoutpb.SectionScroll
	// The elements that left with frames that were refused after all; nobody was told yet.
	lost []Element

	// The parts of the next frame that have arrived. The slices are used again.
	parts struct {
		begun          bool
		frameSeq, base uint64
		removed        []uint32
		shifts         []indexShift
		upserts        []Element
		// The memory that upserts take, an estimate.
		bytes          int
		count          partCount
		effects        *layoutpb.ScrollEffects
		sectionScrolls *layoutpb.SectionScrolls
	}
	// The frame of which a part was refused; its further parts are passed over. 0 = none.
	refused uint64
}

const maxKindHashes = 1024

// NewMirror returns a mirror without elements.
//
// unitsPerPoint is as SessionOpened says; 0 means 64.
func NewMirror(unitsPerPoint uint32, limits Limits) *Mirror {
	if unitsPerPoint == 0 {
		unitsPerPoint = 64
	}
	return &Mirror{
		unitsPerPoint: float64(unitsPerPoint),
		limits:        limits.orDefaults(),
		places:        map[uint32]int{},
		kindHashes:    map[string]uint32{},
	}
}

// Len returns the number of live elements.
func (m *Mirror) Len() int { return len(m.elements) }

// Elements returns the live elements in no particular order. The slice is the mirror's own: it must not be
// changed, and is valid until the next frame is applied.
func (m *Mirror) Elements() []Element { return m.elements }

// Element returns the element in a slot; false if the slot is empty.
func (m *Mirror) Element(slot uint32) (Element, bool) {
	place, ok := m.places[slot]
	if !ok {
		return Element{}, false
	}
	return m.elements[place], true
}

// Checksum returns the state checksum of the live elements.
func (m *Mirror) Checksum() uint32 { return m.checksum }

// FrameSeq returns the number of the newest frame that was applied; 0 = none.
func (m *Mirror) FrameSeq() uint64 { return m.frameSeq }

// DataVersion returns the version of the data that the elements show.
func (m *Mirror) DataVersion() uint64 { return m.dataVersion }

// LayoutVersion returns a number that grows whenever geometry may differ for the same data.
func (m *Mirror) LayoutVersion() uint64 { return m.layoutVersion }

// AppliedEvent returns the newest event such that the elements reflect it and all before it.
func (m *Mirror) AppliedEvent() uint64 { return m.appliedEvent }

// ContentSize returns the size of the scrollable content.
func (m *Mirror) ContentSize() Size { return m.contentSize }

// Coverage returns the rect in content coordinates inside which the elements are complete.
func (m *Mirror) Coverage() Rect { return m.coverage }

// EveryScroll reports whether every scroll step is to be reported. Otherwise it is enough to report when the
// visible rect nears the edge of Coverage.
func (m *Mirror) EveryScroll() bool { return m.everyScroll }

// ScrollEffects returns the effects that the client applies to the elements; nil = none. There are some only
// if the client has the capability.
func (m *Mirror) ScrollEffects() *layoutpb.ScrollEffects { return m.effects }

// SectionScrolls returns the sections that scroll across the content and have elements here, in their order. There
// are some only if the client has the capability. The slice is the mirror's own, and must not be changed.
func (m *Mirror) SectionScrolls() []*layoutpb.SectionScroll { return m.sectionScrolls }

// Apply takes a frame or a part of one. A frame is applied when its last part arrives; until then, and for
// further parts of a frame that was refused, the change is nil.
//
// The error is a *FrameError. After it the elements may be inconsistent, until the keyframe that the server
// sends for a rejected frame.
func (m *Mirror) Apply(part *layoutpb.LayoutFrame) (*Change, error) {
	sequence := part.GetFrameSeq()
	wasRefused := m.refused != 0 && m.refused == sequence
	m.refused = 0
	if wasRefused {
		if part.GetContinued() {
			m.refused = sequence
		}
		return nil, nil
	}
	err := m.take(part)
	if err == nil && part.GetContinued() {
		return nil, nil
	}
	var change *Change
	if err == nil {
		change, err = m.commit(part)
	}
	m.forgetParts()
	if err != nil {
		if part.GetContinued() {
			m.refused = sequence
		}
		return nil, &FrameError{sequence, err.Error()}
	}
	return change, nil
}

// forgetParts drops the parts of an incomplete frame.
func (m *Mirror) forgetParts() {
	parts := &m.parts
	// Let go of what the elements refer to.
	for index := range parts.upserts {
		parts.upserts[index] = Element{}
	}
	parts.begun = false
	parts.removed, parts.shifts, parts.upserts = parts.removed[:0], parts.shifts[:0], parts.upserts[:0]
	parts.bytes, parts.count, parts.effects, parts.sectionScrolls = 0, partCount{}, nil, nil
	m.refused = 0
}

// take reads the elements of a part.
func (m *Mirror) take(part *layoutpb.LayoutFrame) error {
	parts := &m.parts
	sequence, base := part.GetFrameSeq(), part.GetBaseFrameSeq()
	switch {
	case sequence == 0:
		return fmt.Errorf("a frame needs a number")
	case !parts.begun:
		if base != 0 && base != m.frameSeq {
			return fmt.Errorf("it builds on frame %d; frame %d is the newest one here", base, m.frameSeq)
		}
		parts.begun, parts.frameSeq, parts.base = true, sequence, base
		if base == 0 {
			m.kindNames, m.nameBytes = nil, 0
		}
	case sequence != parts.frameSeq || base != parts.base:
		return fmt.Errorf("it follows a part of frame %d", parts.frameSeq)
	}
	if part.GetScrollEffects() != nil {
		parts.effects = part.GetScrollEffects()
	}
	if part.GetSectionScrolls() != nil {
		parts.sectionScrolls = part.GetSectionScrolls()
	}
	removed := parts.count.removed
	err := parts.count.add(part, m.limits.Elements)
	if err != nil {
		return err
	}
	count := len(parts.upserts)
	if packed := part.GetPacked(); packed != nil {
		err = m.takePacked(packed, parts.count.removed-removed)
	} else {
		parts.removed = append(parts.removed, part.GetElements().GetRemovedSlots()...)
		err = m.takeMessages(part.GetElements().GetUpserts())
	}
	if err != nil {
		return err
	}
	for index := count; index < len(parts.upserts); index++ {
		parts.bytes += byteCount(&parts.upserts[index])
		if bytes := parts.bytes + m.nameBytes; bytes > m.limits.Bytes {
			return fmt.Errorf("it takes %d bytes or more; %d are allowed", bytes, m.limits.Bytes)
		}
	}
	return nil
}

func (m *Mirror) takeMessages(upserts []*layoutpb.LayoutElement) error {
	for _, message := range upserts {
		element, err := elementOf(message)
		if err != nil {
			return err
		}
		m.parts.upserts = append(m.parts.upserts, element)
	}
	return nil
}

// takePacked reads columns, which empty so many slots. The caller has counted what they stand for.
func (m *Mirror) takePacked(packed *layoutpb.PackedElements, removed int64) error {
	parts := &m.parts
	if known, added := len(m.kindNames), len(packed.KindNames); known+added > maxKinds {
		return fmt.Errorf("kind_names has %d names after %d; %d in all are allowed", added, known, maxKinds)
	}
	for _, name := range packed.KindNames {
		if err := checkKind(name); err != nil {
			return err
		}
		m.kindNames = append(m.kindNames, name)
		m.nameBytes += int(unsafe.Sizeof(name)) + len(name)
	}
	var err error
	if parts.removed, err = appendSlots(parts.removed, packed.RemovedSlotRuns, removed); err != nil {
		return err
	}
	if parts.shifts, err = appendShifts(parts.shifts, packed.IndexShiftRuns); err != nil {
		return err
	}
	columns, err := columnsOf(packed, m.kindNames, m.unitsPerPoint)
	if err != nil {
		return err
	}
	for index := 0; index < int(packed.UpsertCount); index++ {
		parts.upserts = append(parts.upserts, Element{})
		if err := columns.read(index, &parts.upserts[len(parts.upserts)-1]); err != nil {
			return err
		}
	}
	return m.takeMessages(packed.Exceptions)
}

// commit applies the parts that were taken; last is the last of them.
func (m *Mirror) commit(last *layoutpb.LayoutFrame) (*Change, error) {
	change := &Change{FrameSeq: m.parts.frameSeq, DataVersion: last.GetDataVersion(), Keyframe: m.parts.base == 0,
		MergedEvents: last.GetMergedEvents()}
	err := m.change(last, change)
	// What left with a frame that was refused is told with the next one.
	if len(m.lost) > 0 {
		change.Removed = append(m.lost, change.Removed...)
	}
	m.lost = nil
	if err == nil {
		return change, nil
	}
	if len(change.Removed) <= m.limits.Elements {
		m.lost = change.Removed
	}
	return nil, err
}

// change applies the parts, and notes what they change.
func (m *Mirror) change(last *layoutpb.LayoutFrame, change *Change) error {
	parts := &m.parts
	if err := readHeader(last, change); err != nil {
		return err
	}
	m.commits++
	if change.Keyframe {
		change.Removed = m.elements
		m.removeAll()
		m.effects, m.sectionScrolls = nil, nil
	}
	if parts.effects != nil {
		m.effects = parts.effects
	}
	if parts.sectionScrolls != nil {
		m.sectionScrolls = parts.sectionScrolls.GetSections()
	}
	for _, slot := range parts.removed {
		place, ok := m.places[slot]
		if !ok {
			return fmt.Errorf("it empties slot %d, which is empty", slot)
		}
		change.Removed = append(change.Removed, m.elements[place])
		m.remove(slot, place)
	}
	change.Upserted = make([]uint32, 0, parts.count.put)
	for _, shift := range parts.shifts {
		for slot := shift.first; slot < shift.first+shift.count; slot++ {
			if err := m.shift(slot, shift); err != nil {
				return err
			}
			change.Upserted = append(change.Upserted, slot)
		}
	}
	for index := range parts.upserts {
		if err := m.put(&parts.upserts[index]); err != nil {
			return err
		}
		change.Upserted = append(change.Upserted, parts.upserts[index].Slot)
	}
	if err := m.check(last); err != nil {
		return err
	}
	m.applyHeader(last)
	return nil
}

// readHeader checks the numbers of a last part that belong to no live element.
func readHeader(last *layoutpb.LayoutFrame, change *Change) error {
	change.OffsetAdjustment = pointOf(last.GetContentOffsetAdjustment())
	size, coverage := sizeOf(last.GetContentSize()), rectOf(last.GetCoverage())
	if !isFinite(change.OffsetAdjustment.X, change.OffsetAdjustment.Y, size.Width, size.Height,
		coverage.X, coverage.Y, coverage.Width, coverage.Height) {
		return fmt.Errorf("it has the content size %v, the coverage %v and the adjustment %v; finite numbers "+
			"are allowed", size, coverage, change.OffsetAdjustment)
	}
	change.Animated = last.GetTransition().GetAnimated()
	for _, list := range []struct {
		from []*layoutpb.LayoutElement
		to   *[]Element
	}{
		{last.GetTransition().GetAppearing(), &change.Appearing},
		{last.GetTransition().GetDisappearing(), &change.Disappearing},
	} {
		for _, message := range list.from {
			element, err := elementOf(message)
			if err != nil {
				return err
			}
			*list.to = append(*list.to, element)
		}
	}
	return nil
}

func (m *Mirror) applyHeader(last *layoutpb.LayoutFrame) {
	if last.GetContentSize() != nil {
		m.contentSize = sizeOf(last.GetContentSize())
	}
	if last.GetCoverage() != nil {
		m.coverage = rectOf(last.GetCoverage())
	}
	m.frameSeq, m.dataVersion = last.GetFrameSeq(), last.GetDataVersion()
	m.layoutVersion, m.appliedEvent = last.GetLayoutVersion(), last.GetAppliedEventSeq()
	m.everyScroll =
		last.GetScrollSensitivity() == layoutpb.ScrollSensitivity_SCROLL_SENSITIVITY_EVERY_SCROLL
}

// check compares the elements with what the server states. It lets go of elements beyond the limits, to which
// a server whose frames do not fit would add without end.
func (m *Mirror) check(last *layoutpb.LayoutFrame) error {
	count, bytes := len(m.elements), m.bytes+m.nameBytes
	if count > m.limits.Elements || bytes > m.limits.Bytes {
		m.removeAll()
		return fmt.Errorf("%d elements of %d bytes would be live; %d of %d bytes are allowed", count, bytes,
			m.limits.Elements, m.limits.Bytes)
	}
	if uint64(count) != uint64(last.GetLiveCount()) {
		return fmt.Errorf("%d elements are live; the server has %d", count, last.GetLiveCount())
	}
	if last.StateChecksum != nil && *last.StateChecksum != m.checksum {
		return fmt.Errorf("the checksum is %08x; the server has %08x", m.checksum, *last.StateChecksum)
	}
	return nil
}

// agrees reports whether number and checksum in a heartbeat are those of the mirror, or are about another
// frame than its newest one.
func (m *Mirror) agrees(heartbeat *layoutpb.Heartbeat) bool {
	return heartbeat.GetLastFrameSeq() != m.frameSeq ||
		uint64(heartbeat.GetLiveCount()) == uint64(len(m.elements)) &&
			(heartbeat.StateChecksum == nil || *heartbeat.StateChecksum == m.checksum)
}

// confirms reports whether the server has the same elements, by its checksum.
func (m *Mirror) confirms(heartbeat *layoutpb.Heartbeat) bool {
	return heartbeat.GetLastFrameSeq() == m.frameSeq && heartbeat.StateChecksum != nil && m.agrees(heartbeat)
}

// put fills a slot or replaces its element, which a frame does with a slot only once.
func (m *Mirror) put(element *Element) error {
	place, isLive := m.places[element.Slot]
	if isLive && m.putBy[place] == m.commits {
		return fmt.Errorf("it puts slot %d twice; once is allowed", element.Slot)
	}
	hash := elementHash(element, m.kindHash(element.Key.Kind), m.unitsPerPoint)
	if isLive {
		m.checksum -= m.hashes[place]
		m.bytes -= byteCount(&m.elements[place])
		m.elements[place], m.hashes[place], m.putBy[place] = *element, hash, m.commits
	} else {
		m.places[element.Slot] = len(m.elements)
		m.elements, m.hashes = append(m.elements, *element), append(m.hashes, hash)
		m.putBy = append(m.putBy, m.commits)
	}
	m.checksum += hash
	m.bytes += byteCount(element)
	return nil
}

func (m *Mirror) shift(slot uint32, shift indexShift) error {
	place, ok := m.places[slot]
	if !ok {
		return fmt.Errorf("it shifts slot %d, which is empty", slot)
	}
	element := m.elements[place]
	if element.Key.Path, ok = element.Key.Path.shifted(shift.section, shift.item); !ok {
		return fmt.Errorf("it shifts slot %d to an impossible index path", slot)
	}
	return m.put(&element)
}

// remove moves the last element into the place of the one that leaves.
func (m *Mirror) remove(slot uint32, place int) {
	m.checksum -= m.hashes[place]
	m.bytes -= byteCount(&m.elements[place])
	last := len(m.elements) - 1
	m.elements[place], m.hashes[place], m.putBy[place] = m.elements[last], m.hashes[last], m.putBy[last]
	m.places[m.elements[place].Slot] = place
	delete(m.places, slot)
	m.elements[last] = Element{}
	m.elements, m.hashes, m.putBy = m.elements[:last], m.hashes[:last], m.putBy[:last]
}

func (m *Mirror) removeAll() {
	m.elements, m.hashes, m.putBy = nil, m.hashes[:0], m.putBy[:0]
	m.places = map[uint32]int{}
	m.checksum, m.bytes = 0, 0
}

func (m *Mirror) kindHash(kind string) uint32 {
	if hash, ok := m.kindHashes[kind]; ok {
		return hash
	}
	if len(m.kindHashes) >= maxKindHashes {
		m.kindHashes = map[string]uint32{}
	}
	hash := kindHash(kind)
	m.kindHashes[kind] = hash
	return hash
}

// byteCount estimates the memory that an element takes.
func byteCount(element *Element) int {
	bytes := int(unsafe.Sizeof(*element)) + len(element.Key.Kind) + len(element.ItemKey) +
		len(element.SectionKey) + len(element.ItemData)
	if extras := element.Extras; extras != nil {
		bytes += int(unsafe.Sizeof(*extras)) + 8*len(extras.Transform)
		if extras.Custom != nil {
			// Values take several times the memory of their encoding.
			bytes += 8 * proto.Size(extras.Custom)
		}
	}
	return bytes
}
