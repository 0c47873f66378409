// SPDX-License-Identifier: Apache-2.0

import LayoutProtocol

/// An element as the server described it, from whichever answer.
struct ObservedElement: Sendable {
  var key: CollectionLayout_V1_ElementKey
  var attributes: CollectionLayout_V1_LayoutAttributes?
  var itemKey: String

  init(_ element: CollectionLayout_V1_ElementAttributes) {
    key = element.key
    attributes = element.hasAttributes ? element.attributes : nil
    itemKey = element.itemKey
  }

  init(_ element: CollectionLayout_V1_LayoutElement) {
    key = element.key
    attributes = element.attributes
    itemKey = element.itemKey
  }

  var category: String {
    switch key.category {
    case .cell: "CELL"
    case .supplementary: "SUPPLEMENTARY"
    case .decoration: "DECORATION"
    default: "?"
    }
  }

  var name: String {
    let item = key.indexPath.hasItem ? "\(key.indexPath.item)" : "-"
    return "\(category) '\(key.kind)' (\(key.indexPath.section), \(item)) \(itemKey)"
  }

  var frame: [Double] {
    let frame = attributes?.frame
    return [frame?.x ?? 0, frame?.y ?? 0, frame?.width ?? 0, frame?.height ?? 0]
  }

  var center: [Double] { [frame[0] + frame[2] / 2, frame[1] + frame[3] / 2] }

  var alpha: Double { attributes.map { $0.hasAlpha ? $0.alpha : 1 } ?? 1 }

  /// Always sixteen numbers.
  var transform: [Double] {
    ObservedElement.expanded(attributes?.transform.values ?? [])
  }

  static func expanded(_ values: [Double]) -> [Double] {
    switch values.count {
    case 16: values
    case 6:
      [
        values[0], values[1], 0, 0, values[2], values[3], 0, 0, 0, 0, 1, 0, values[4], values[5],
        0, 1,
      ]
    default: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
    }
  }

  /// Whether an expectation's name means this element.
  func isNamed(by expected: JSON) -> Bool {
    if let wanted = expected["itemKey"]?.string {
      return key.category == .cell && itemKey == wanted
    }
    return category == expected["category"]?.string ?? "CELL"
      && key.kind == expected["kind"]?.string ?? ""
      && Int(key.indexPath.section) == expected["section"]?.int ?? 0
      && (key.indexPath.hasItem ? Int(key.indexPath.item) : nil) == expected["item"]?.int
  }

  /// Compares with everything that the expectation states.
  func check(_ expected: JSON, _ tolerance: Tolerance) throws {
    try compare("frame", frame, expected["frame"]?.numbers, tolerance.length)
    for (index, field) in ["x", "y", "width", "height"].enumerated() {
      try compare(field, [frame[index]], expected[field].map { [$0.double] }, tolerance.length)
    }
    try compare("center", center, expected["center"]?.numbers, tolerance.length)
    try compare("alpha", [alpha], expected["alpha"].map { [$0.double] }, tolerance.value)
    if let zIndex = expected["zIndex"]?.int, zIndex != Int(attributes?.zIndex ?? 0) {
      throw Mismatch("\(name): zIndex \(attributes?.zIndex ?? 0), expected \(zIndex)")
    }
    if let hidden = expected["hidden"]?.bool, hidden != attributes?.hidden ?? false {
      throw Mismatch("\(name): hidden \(!hidden), expected \(hidden)")
    }
    try checkTransform(expected, tolerance)
  }

  private func checkTransform(_ expected: JSON, _ tolerance: Tolerance) throws {
    if let wanted = expected["transform"]?.numbers {
      let given = wanted.map { $0 ?? .nan }
      let full = ObservedElement.expanded(given)
      for index in 0 ..< 16 where !full[index].isNaN {
        let allowed = (12 ... 14).contains(index) ? tolerance.length : tolerance.value
        try compare("transform[\(index)]", [transform[index]], [full[index]], allowed)
      }
    }
    let m = transform
    if let scale = expected["scale"]?.double {
      let plane = [m[0], m[1], m[4], m[5]]
      try compare("scale", plane, [scale, 0, 0, scale], tolerance.value)
    }
    if expected["identity"]?.bool == true {
      try compare("plane", [m[0], m[1], m[4], m[5]], [1, 0, 0, 1], tolerance.value)
      try compare("translation", [m[12], m[13]], [0, 0], tolerance.length)
    }
    if let size = expected["visibleSize"]?.numbers {
      let seen = [
        frame[2] * (m[0] * m[0] + m[1] * m[1]).squareRoot(),
        frame[3] * (m[4] * m[4] + m[5] * m[5]).squareRoot(),
      ]
      try compare("visibleSize", seen, size, tolerance.length)
    }
  }

  private func compare(
    _ field: String,
    _ found: [Double],
    _ expected: [Double?]?,
    _ tolerance: Double
  ) throws {
    guard let expected else { return }
    guard closeEnough(found, expected, tolerance) else {
      throw Mismatch("\(name): \(field) \(found), expected \(expected.map { $0 ?? .nan })")
    }
  }
}

/// Whether numbers agree within a tolerance; nil = any.
func closeEnough(_ found: [Double], _ expected: [Double?], _ tolerance: Double) -> Bool {
  found.count == expected.count
    && zip(found, expected).allSatisfy { found, expected in
      expected.map { abs(found - $0) <= tolerance } ?? true
    }
}
