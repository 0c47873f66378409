// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import LayoutSession
import Testing

/// A client that believes frames and checks all that the contract promises of them.
struct MirrorClient {
  struct Element: Equatable {
    var key: ElementKey
    var attributes: LayoutAttributes
    var pin: PinRange?
    var itemKey: String
    var itemData: String
    var outline: OutlineMark
    var scrollsAcross: Bool
  }

  private(set) var slots: [UInt32: Element] = [:]
  private(set) var everUsed: Set<UInt32> = []
  /// The last frame that arrived, applied or not.
  private(set) var lastFrame: UInt64 = 0
  private(set) var lastApplied: UInt64 = 0
  private(set) var contentSize = Size.zero
  private(set) var coverage = Rect.zero
  private(set) var offset: Point
  private(set) var dataVersion: UInt64 = 0
  private(set) var layoutVersion: UInt64 = 0
  private(set) var checksum: UInt32 = 0
  /// The sections that scroll by themselves.
  private(set) var sectionScrolls: [SectionScrollState] = []
  /// The effects that the client applies.
  private(set) var scrollEffects = ScrollEffects.none
  var unitsPerPoint = 64
  /// The category and kind that each slot was first used for.
  private var classes: [UInt32: String] = [:]

  init(offset: Point) { self.offset = offset }

  /// The same client, which no longer remembers what each slot was first used for.
  init(resuming other: MirrorClient) {
    self = other
    classes = [:]
  }

  mutating func scroll(to offset: Point) { self.offset = offset }

  /// The elements as they are seen in a viewport, with the effects that the client applies: those
  /// that are seen within it.
  func seen(in viewport: Viewport) -> [ElementKey: LayoutAttributes] {
    let view = ScrollEffectView(scrollEffects, viewport: viewport)
    var seen: [ElementKey: LayoutAttributes] = [:]
    for element in slots.values {
      let attributes = view.attributes(
        of: element.attributes,
        key: element.key,
        scrollsAcross: element.scrollsAcross,
        pin: element.pin
      )
      if attributes.boundingBox.meets(viewport.rect) { seen[element.key] = attributes }
    }
    return seen
  }

  /// Where an element is seen with its section at an offset; nil = the offset that the server knew.
  func seenFrame(_ element: Element, sectionOffset: Double? = nil) -> Rect {
    let state = sectionScrolls.first { $0.section == element.key.indexPath.section }
    guard element.scrollsAcross, let state, state.completeOffsets != nil else {
      return element.attributes.frame
    }
    let offset = sectionOffset ?? state.scroll.offset
    return element.attributes.frame.offset(
      by: Point(x: state.scroll.direction.x * offset, y: state.scroll.direction.y * offset)
    )
  }

  func element(_ key: ElementKey) -> Element? { slots.values.first { $0.key == key } }

  func slot(_ key: ElementKey) -> UInt32? { slots.first { $0.value.key == key }?.key }

  func slot(itemKey: String) -> UInt32? { slots.first { $0.value.itemKey == itemKey }?.key }

  func frame(_ key: ElementKey) -> Rect? { element(key)?.attributes.frame }

  func frame(itemKey: String) -> Rect? {
    slots.values.first { $0.itemKey == itemKey }?.attributes.frame
  }

  mutating func apply(
    _ frame: SessionFrame,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(frame.sequence == lastFrame + 1, sourceLocation: sourceLocation)
    if frame.isKeyframe {
      slots.removeAll()
      #expect(frame.removedSlots.isEmpty, sourceLocation: sourceLocation)
      #expect(frame.contentSize != nil, sourceLocation: sourceLocation)
    } else {
      #expect(frame.baseSequence == lastFrame, sourceLocation: sourceLocation)
    }
    if let effects = frame.scrollEffects {
      scrollEffects = effects
    } else if frame.isKeyframe {
      scrollEffects = .none
    }
    if let scrolls = frame.sectionScrolls {
      sectionScrolls = scrolls
    } else if frame.isKeyframe {
      sectionScrolls = []
    }
    checkTransition(of: frame, sourceLocation: sourceLocation)
    for slot in frame.removedSlots {
      let removed = slots.removeValue(forKey: slot)
      #expect(removed != nil, "slot \(slot) was empty", sourceLocation: sourceLocation)
    }
    if !frame.itemData.isEmpty {
      #expect(frame.itemData.count == frame.upserts.count, sourceLocation: sourceLocation)
    }
    if !frame.keys.isEmpty {
      #expect(frame.keys.count == frame.upserts.count, sourceLocation: sourceLocation)
    }
    for (index, upsert) in frame.upserts.enumerated() {
      let key = frame.key(of: upsert)
      let element = Element(
        key: key,
        attributes: frame.attributes(of: upsert),
        pin: frame.pin(of: upsert),
        itemKey: frame.keys.isEmpty ? "" : frame.keys[index],
        itemData: frame.itemData.isEmpty ? "" : frame.itemData[index],
        outline: upsert.element.outline,
        scrollsAcross: upsert.element.scrollsAcross
      )
      if let old = slots[upsert.slot] {
        #expect(old != element, "\(key) was sent unchanged", sourceLocation: sourceLocation)
        #expect(
          old.key.category == key.category && old.key.kind == key.kind,
          sourceLocation: sourceLocation
        )
        if upsert.isShiftOnly {
          #expect(old.attributes == element.attributes, sourceLocation: sourceLocation)
          #expect(old.key.indexPath == upsert.previousPath, sourceLocation: sourceLocation)
          #expect(old.itemData == element.itemData, sourceLocation: sourceLocation)
        }
      }
      let name = "\(key.category).\(key.kind)"
      #expect(
        classes.updateValue(name, forKey: upsert.slot) ?? name == name,
        "slot \(upsert.slot) changed its kind",
        sourceLocation: sourceLocation
      )
      slots[upsert.slot] = element
      everUsed.insert(upsert.slot)
    }
    #expect(
      Set(slots.values.map(\.key)).count == slots.count,
      "a key is in two slots",
      sourceLocation: sourceLocation
    )
    #expect(frame.liveCount == slots.count, sourceLocation: sourceLocation)
    checksum = slots.values.reduce(0) { sum, element in
      sum
        &+ StateChecksum.hash(
          of: LayoutElement(
            category: element.key.category,
            kind: 0,
            indexPath: element.key.indexPath,
            frame: element.attributes.frame,
            zIndex: Int32(element.attributes.zIndex),
            alpha: element.attributes.alpha,
            isHidden: element.attributes.isHidden
          ),
          kindHash: StateChecksum.hash(ofKind: element.key.kind),
          unitsPerPoint: unitsPerPoint
        )
    }
    if let expected = frame.stateChecksum {
      #expect(checksum == expected, sourceLocation: sourceLocation)
    }
    #expect(frame.dataVersion >= dataVersion, sourceLocation: sourceLocation)
    #expect(frame.layoutVersion >= layoutVersion, sourceLocation: sourceLocation)
    lastFrame = frame.sequence
    lastApplied = frame.sequence
    dataVersion = frame.dataVersion
    layoutVersion = frame.layoutVersion
    contentSize = frame.contentSize ?? contentSize
    coverage = frame.coverage
    offset = offset + frame.offsetAdjustment
  }

  /// What appears and disappears are exactly the differences between before and after the frame.
  private func checkTransition(of frame: SessionFrame, sourceLocation: SourceLocation) {
    guard let transition = frame.transition, !frame.isKeyframe else { return }
    let removed = Set(frame.removedSlots)
    let added = frame.upserts.filter { slots[$0.slot] == nil || removed.contains($0.slot) }
    #expect(
      Dictionary(transition.appearing.map { ($0.slot, frame.key(of: $0)) }) { $1 }
        == Dictionary(added.map { ($0.slot, frame.key(of: $0)) }) { $1 },
      sourceLocation: sourceLocation
    )
    #expect(transition.appearing.count == added.count, sourceLocation: sourceLocation)
    #expect(
      transition.disappearing.map(\.slot).sorted() == frame.removedSlots.sorted(),
      sourceLocation: sourceLocation
    )
    for element in transition.disappearing {
      let key = frame.key(of: element)
      #expect(slots[element.slot]?.key == key, sourceLocation: sourceLocation)
    }
  }

  /// A frame that could not be applied.
  mutating func skip(_ frame: SessionFrame) { lastFrame = frame.sequence }
}
