// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import LayoutSession

@testable import LayoutProtocol

extension ReferenceEncoder {
  /// The elements of a frame as one message each. At least one body.
  func messages(of frame: SessionFrame) -> [EncodedBody] {
    var bodies: [EncodedBody] = []
    var changes = Wire.ElementChanges()
    // Slots are emptied before any is filled, so they go first; a varint has at most five bytes.
    changes.removedSlots = frame.removedSlots
    var byteCount = frame.removedSlots.count * 5 + headByteCount(of: frame)
    changes.upserts.reserveCapacity(frame.upserts.count)
    for (index, element) in frame.upserts.enumerated() {
      let texts = frame.texts(at: index)
      let size = frame.byteCount(of: element, texts)
      if byteCount > 0, byteCount + size > partBytes {
        bodies.append(EncodedBody(body: .elements(changes), byteCount: byteCount))
        changes = Wire.ElementChanges()
        byteCount = 0
      }
      byteCount += size
      changes.upserts.append(Wire.LayoutElement(element, of: frame, texts))
    }
    bodies.append(EncodedBody(body: .elements(changes), byteCount: byteCount))
    return bodies
  }
}

extension Wire.LayoutElement {
  init(_ element: FrameElement, of frame: SessionFrame, _ texts: ElementTexts) {
    self.init()
    slot = element.slot
    key.category = Wire.ElementCategory(element.element.category)
    key.kind = frame.kindName(of: element)
    key.indexPath = Wire.IndexPath(element.element.indexPath)
    var attributes = Wire.LayoutAttributes()
    attributes.frame = Wire.Rect(element.element.frame)
    if element.element.alpha != 1 { attributes.alpha = element.element.alpha }
    attributes.zIndex = element.element.zIndex
    attributes.hidden = element.element.isHidden
    if let extra = frame.extra(of: element) {
      if extra.transform != .identity {
        attributes.transform = Wire.Transform(extra.transform)
      }
      if let custom = extra.custom { attributes.custom = .init(custom) }
      if let pin = extra.pin { self.pin = Wire.PinRange(pin) }
    }
    self.attributes = attributes
    if key.indexPath.hasItem { itemKey = texts.key } else { sectionKey = texts.key }
    itemData = texts.data
    scrollsAcross = element.element.scrollsAcross
  }
}
