// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import LayoutSession

extension FrameEncoder {
  /// Writes the elements of a frame as one message each, in as many parts as they need.
  ///
  /// - Returns: an upper bound of the bytes of the last part's elements.
  func writeMessages(of frame: SessionFrame, to parts: inout FramePartsWriter) -> Int {
    // Clients empty slots before they fill any, so those come first. A 32-bit varint has at most
    // five bytes.
    var byteCount = frame.removedSlots.count * 5 + parts.headByteCount
    if !frame.removedSlots.isEmpty {
      let start = parts.writer.begin(2)
      for slot in frame.removedSlots { parts.writer.varint(UInt64(slot)) }
      parts.writer.end(start)
    }
    for (index, element) in frame.upserts.enumerated() {
      let texts = frame.texts(at: index)
      let size = frame.byteCount(of: element, texts)
      if byteCount > 0, byteCount + size > partBytes {
        parts.nextPart()
        byteCount = 0
      }
      byteCount += size
      parts.writer.element(1, element, of: frame, texts)
    }
    return byteCount
  }
}

/// The texts of the data that a frame sends with an element.
struct ElementTexts {
  /// The key of a cell's item, or of the section of an element of a section itself; "" = none.
  var key = ""
  /// What a cell's item carries for renderers; "" = nothing.
  var data = ""

  /// The bytes that they take on the wire at most, beside those that every element takes.
  var byteCount: Int { key.utf8.count + (data.isEmpty ? 0 : 8 + data.utf8.count) }
}

extension SessionFrame {
  /// The texts that the frame sends with an upsert.
  func texts(at index: Int) -> ElementTexts {
    ElementTexts(
      key: index < keys.count ? keys[index] : "",
      data: index < itemData.count ? itemData[index] : ""
    )
  }

  /// The rarer attributes of an element; nil = it has none.
  func extra(of element: FrameElement) -> ElementExtra? {
    let extra = Int(element.element.extra)
    return extra >= 0 && extra < extras.count ? extras[extra] : nil
  }

  /// An upper bound of the bytes that an element takes as a message.
  func byteCount(of element: FrameElement, _ texts: ElementTexts) -> Int {
    // 106 bytes for tags, lengths and the numbers that every element has.
    var bytes = 106 + kindName(of: element).utf8.count + texts.byteCount
    if element.element.outline != .none { bytes += 8 }
    if let extra = extra(of: element) {
      if extra.transform != .identity { bytes += 140 }
      if extra.pin != nil { bytes += 32 }
      if let custom = extra.custom { bytes += 8 + CustomValue.object(custom).byteCount }
    }
    return bytes
  }
}

extension CustomValue {
  /// An upper bound of the bytes that the value takes as a message.
  fileprivate var byteCount: Int {
    switch self {
    case .null, .bool: 4
    case .number: 12
    case .string(let text): 12 + text.utf8.count
    case .list(let values): values.reduce(24) { $0 + 12 + $1.byteCount }
    case .object(let fields):
      fields.reduce(24) { $0 + 24 + $1.key.utf8.count + $1.value.byteCount }
    }
  }
}
