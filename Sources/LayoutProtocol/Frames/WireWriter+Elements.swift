// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import LayoutSession

extension WireWriter {
  /// Writes a `Rect`, even if it is all zeros.
  @inline(__always)
  mutating func rect(_ field: Int, _ rect: Rect) {
    let start = begin(field)
    double(1, rect.x)
    double(2, rect.y)
    double(3, rect.width)
    double(4, rect.height)
    end(start)
  }

  /// Writes a `LayoutElement`.
  mutating func element(
    _ field: Int,
    _ element: FrameElement,
    of frame: SessionFrame,
    _ texts: ElementTexts
  ) {
    let value = element.element
    let extra = frame.extra(of: element)
    let start = begin(field)
    uint(1, UInt64(element.slot))
    key(2, of: value, kindName: frame.kindName(of: element))
    attributes(3, of: value, extra: extra)
    let isOfSection = value.indexPath.item == nil
    if !isOfSection { string(4, texts.key) }
    if let pin = extra?.pin {
      let start = begin(5)
      double(1, pin.minOffset)
      double(2, pin.maxOffset)
      double(3, pin.inset)
      uint(4, UInt64(Wire.ScrollDirection(pin.axis).rawValue))
      end(start)
    }
    outline(6, value.outline)
    bool(7, value.scrollsAcross)
    if isOfSection { string(12, texts.key) }
    string(13, texts.data)
    end(start)
  }

  /// Writes an `OutlinePosition`; nothing for roots that cannot be expanded.
  private mutating func outline(_ field: Int, _ mark: OutlineMark) {
    guard mark != .none else { return }
    let start = begin(field)
    uint(1, UInt64(mark.level))
    uint(2, UInt64(mark.stateNumber))
    end(start)
  }

  /// Writes an `ElementKey`.
  private mutating func key(_ field: Int, of element: LayoutElement, kindName: String) {
    let start = begin(field)
    let category: UInt64 =
      switch element.category {
      case .cell: 1
      case .supplementary: 2
      case .decoration: 3
      }
    uint(1, category)
    string(2, kindName)
    let path = begin(3)
    uint(1, UInt64(UInt32(truncatingIfNeeded: element.indexPath.section)))
    if let item = element.indexPath.item {
      present(2, UInt64(UInt32(truncatingIfNeeded: item)))
    }
    end(path)
    end(start)
  }

  /// Writes `LayoutAttributes`.
  private mutating func attributes(_ field: Int, of element: LayoutElement, extra: ElementExtra?) {
    let start = begin(field)
    rect(1, element.frame)
    if let extra { transform(2, extra.transform) }
    if element.alpha != 1 { present(3, element.alpha) }
    sint(4, Int64(element.zIndex))
    bool(5, element.isHidden)
    if let custom = extra?.custom {
      let start = begin(6)
      fields(custom)
      end(start)
    }
    end(start)
  }

  /// Writes a `Transform`; nothing for the identity.
  private mutating func transform(_ field: Int, _ transform: Transform) {
    switch transform {
    case .identity: break
    case .affine(let a, let b, let c, let d, let tx, let ty):
      let (message, values) = (begin(field), begin(1))
      double(a)
      double(b)
      double(c)
      double(d)
      double(tx)
      double(ty)
      end(values)
      end(message)
    case .projective(let matrix):
      let (message, values) = (begin(field), begin(1))
      double(matrix.rows.0)
      double(matrix.rows.1)
      double(matrix.rows.2)
      double(matrix.rows.3)
      end(values)
      end(message)
    }
  }

  private mutating func double(_ row: SIMD4<Double>) {
    for index in row.indices { double(row[index]) }
  }

  // MARK: - Custom attributes

  /// Writes the fields of a `google.protobuf.Struct`.
  private mutating func fields(_ fields: [String: CustomValue]) {
    for (name, value) in fields {
      let entry = begin(1)
      string(1, name)
      let start = begin(2)
      custom(value)
      end(start)
      end(entry)
    }
  }

  /// Writes the field of a `google.protobuf.Value`. A oneof field is written even if it has the
  /// default value.
  private mutating func custom(_ value: CustomValue) {
    switch value {
    case .null: present(1, UInt64(0))
    case .number(let number): present(2, number)
    case .string(let text): present(3, text)
    case .bool(let bool): present(4, UInt64(bool ? 1 : 0))
    case .object(let fields):
      let start = begin(5)
      self.fields(fields)
      end(start)
    case .list(let values):
      let list = begin(6)
      for value in values {
        let start = begin(1)
        custom(value)
        end(start)
      }
      end(list)
    }
  }

  // MARK: - Transitions

  /// Writes the transition of a frame. Elements that do not fit into one message are left out;
  /// clients fade those in or out.
  ///
  /// - Parameter room: the bytes that the transition may take.
  mutating func transition(_ transition: FrameTransition, of frame: SessionFrame, room: Int) {
    let start = begin(16)
    bool(1, transition.isAnimated)
    uint(2, transition.fromDataVersion)
    var byteCount = FrameTransition.fixedBytes
    var keys = transition.keys[...]
    elements(3, transition.appearing, of: frame, &keys, &byteCount, room: room)
    elements(4, transition.disappearing, of: frame, &keys, &byteCount, room: room)
    end(start)
  }

  /// Writes the elements that fit.
  ///
  /// - Parameters:
  ///   - keys: item keys of the elements, which are consumed.
  ///   - byteCount: an upper bound of the bytes written so far.
  private mutating func elements(
    _ field: Int,
    _ elements: [FrameElement],
    of frame: SessionFrame,
    _ keys: inout ArraySlice<String>,
    _ byteCount: inout Int,
    room: Int
  ) {
    for element in elements {
      let texts = ElementTexts(key: keys.popFirst() ?? "")
      let size = frame.byteCount(of: element, texts)
      guard byteCount + size <= room else { continue }
      byteCount += size
      self.element(field, element, of: frame, texts)
    }
  }
}

extension FrameTransition {
  /// An upper bound of the bytes of the message besides its elements.
  fileprivate static let fixedBytes = 32

  /// An upper bound of the bytes of the transition, with the elements that fit into `room`.
  func byteCount(of frame: SessionFrame, room: Int) -> Int {
    var byteCount = FrameTransition.fixedBytes
    var keys = keys[...]
    for elements in [appearing, disappearing] {
      for element in elements {
        let size = frame.byteCount(of: element, ElementTexts(key: keys.popFirst() ?? ""))
        if byteCount + size <= room { byteCount += size }
      }
    }
    return byteCount
  }
}
