// SPDX-License-Identifier: Apache-2.0

package import CollectionLayouts
package import CollectionModel
import LayoutGeometry

// MARK: - Messages to values

extension FieldReader {
  /// The highest section or item that an index path can hold.
  static let maxIndex = UInt32.max - 1

  /// Reads the index path of a section or an item.
  package mutating func indexPath(_ message: Wire.IndexPath, _ name: StaticString) -> IndexPath {
    within(name) { $0.indexPath(message) }
  }

  mutating func indexPath(_ message: Wire.IndexPath) -> IndexPath {
    guard message.section <= FieldReader.maxIndex else {
      rejectIndex("section", "\(message.section) found; at most \(FieldReader.maxIndex) is allowed")
      return IndexPath(section: 0)
    }
    guard message.hasItem else { return IndexPath(section: Int(message.section)) }
    guard message.item <= FieldReader.maxIndex else {
      rejectIndex("item", "\(message.item) found; at most \(FieldReader.maxIndex) is allowed")
      return IndexPath(section: Int(message.section))
    }
    return IndexPath(section: Int(message.section), item: Int(message.item))
  }

  /// Reads the index path of an item, which must be present.
  package mutating func itemPath(
    _ message: Wire.IndexPath?,
    _ name: StaticString
  ) -> IndexPath {
    guard let message else {
      reject(name, "nothing found; the index path of an item is needed")
      return IndexPath(section: 0, item: 0)
    }
    return within(name) { reader in
      let path = reader.indexPath(message)
      if message.hasItem { return path.item == nil ? IndexPath(section: 0, item: 0) : path }
      reader.reject("item", "nothing found; the index of an item is needed")
      return IndexPath(section: 0, item: 0)
    }
  }

  /// Reads the key of an element in the field `name`.
  package mutating func elementKey(_ message: Wire.ElementKey, _ name: StaticString) -> ElementKey {
    within(name) { $0.elementKey(message) }
  }

  /// Reads the key of an element, which is the current message.
  package mutating func elementKey(_ message: Wire.ElementKey) -> ElementKey {
    let category: ElementCategory?
    switch message.category {
    case .cell: category = .cell
    case .supplementary: category = .supplementary
    case .decoration: category = .decoration
    case .unspecified, .UNRECOGNIZED:
      category = nil
      reject(
        "category",
        "\(message.category.rawValue) found; 1 (cell), 2 (supplementary) and 3 (decoration) are "
          + "allowed"
      )
    }
    return ElementKey(
      category: category ?? .cell,
      kind: text(message.kind, "kind", maxBytes: FieldReader.maxNameBytes),
      indexPath: indexPath(message.indexPath, "index_path")
    )
  }

  /// Reads the attributes of an element, as a client receives them.
  package mutating func attributes(
    _ message: Wire.LayoutAttributes,
    _ name: StaticString
  ) -> LayoutAttributes {
    within(name) { reader in
      LayoutAttributes(
        frame: reader.rect(message.frame, "frame"),
        transform: message.hasTransform
          ? reader.transform(message.transform, "transform") : .identity,
        alpha: message.hasAlpha ? reader.number(message.alpha, "alpha", in: 0 ... 1) : 1,
        zIndex: Int(message.zIndex),
        isHidden: message.hidden,
        custom: message.hasCustom
          ? reader.custom(message.custom, "custom", limits: .received) : nil
      )
    }
  }

  mutating func pinRange(_ message: Wire.PinRange, _ name: StaticString) -> PinRange {
    within(name) { reader in
      PinRange(
        minOffset: reader.number(message.minOffset, "min_offset"),
        maxOffset: reader.number(message.maxOffset, "max_offset"),
        inset: reader.number(message.inset, "inset"),
        axis: reader.scrollAxis(message.axis, "axis") ?? .vertical
      )
    }
  }
}

// MARK: - Values to messages

extension Wire.IndexPath {
  /// The message of an index path. Indices are truncated to 32 bits; those of contents that were
  /// read from messages fit (`FieldReader.maxIndex`).
  package init(_ value: IndexPath) {
    self.init()
    section = UInt32(truncatingIfNeeded: value.section)
    if let item = value.item { self.item = UInt32(truncatingIfNeeded: item) }
  }
}

extension Wire.ElementCategory {
  /// The message's value of a category.
  package init(_ value: ElementCategory) {
    switch value {
    case .cell: self = .cell
    case .supplementary: self = .supplementary
    case .decoration: self = .decoration
    }
  }
}

extension Wire.ElementKey {
  /// The message of an element's key.
  package init(_ value: ElementKey) {
    self.init()
    category = Wire.ElementCategory(value.category)
    kind = value.kind
    indexPath = Wire.IndexPath(value.indexPath)
  }
}

extension Wire.LayoutAttributes {
  /// The message of an element's attributes. Except for the frame, those with default values are
  /// left out.
  package init(_ value: LayoutAttributes) {
    self.init()
    frame = Wire.Rect(value.frame)
    if value.transform != .identity { transform = Wire.Transform(value.transform) }
    if value.alpha != 1 { alpha = value.alpha }
    zIndex = Int32(clamping: value.zIndex)
    hidden = value.isHidden
    if let custom = value.custom { self.custom = .init(custom) }
  }
}

extension Wire.ElementAttributes {
  /// The message of an element, as the answer to a query.
  ///
  /// - Parameters:
  ///   - attributes: nil = there is no such element.
  ///   - itemKey: the key of its item; "" = none.
  ///   - sectionKey: the key of its section, for an element without an item; "" = none.
  ///   - itemData: what its item carries for renderers; "" = nothing.
  package init(
    key: ElementKey,
    attributes: LayoutAttributes?,
    itemKey: String = "",
    sectionKey: String = "",
    itemData: String = ""
  ) {
    self.init()
    self.key = Wire.ElementKey(key)
    if let attributes { self.attributes = Wire.LayoutAttributes(attributes) }
    self.itemKey = itemKey
    self.sectionKey = sectionKey
    self.itemData = itemData
  }
}

extension Wire.PinRange {
  /// The message of a pin range.
  package init(_ value: PinRange) {
    self.init()
    minOffset = value.minOffset
    maxOffset = value.maxOffset
    inset = value.inset
    axis = Wire.ScrollDirection(value.axis)
  }
}
