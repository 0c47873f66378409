// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport

/// Random values of the types that messages carry.
extension SplitMix64 {
  mutating func bool() -> Bool { Bool.random(using: &self) }

  mutating func number(_ range: ClosedRange<Double> = -1000 ... 1000) -> Double {
    double(range)
  }

  mutating func pick<Choice: CaseIterable>(_ type: Choice.Type) -> Choice {
    let cases = Array(type.allCases)
    return cases[int(0 ... cases.count - 1)]
  }

  mutating func maybe<Value>(_ make: (inout SplitMix64) -> Value) -> Value? {
    bool() ? make(&self) : nil
  }

  mutating func some<Value>(
    _ count: ClosedRange<Int> = 0 ... 3,
    _ make: (inout SplitMix64) -> Value
  ) -> [Value] {
    (0 ..< int(count)).map { _ in make(&self) }
  }

  mutating func word() -> String {
    String((0 ..< int(1 ... 8)).map { _ in Character(UnicodeScalar(UInt8(int(97 ... 122)))) })
  }

  mutating func point() -> Point { Point(x: number(), y: number()) }

  mutating func size() -> Size { Size(width: number(1 ... 500), height: number(1 ... 500)) }

  mutating func rect() -> Rect { Rect(origin: point(), size: size()) }

  mutating func insets() -> EdgeInsets {
    EdgeInsets(
      top: number(0 ... 20),
      leading: number(0 ... 20),
      bottom: number(0 ... 20),
      trailing: number(0 ... 20)
    )
  }

  mutating func axis() -> ScrollAxis { pick(ScrollAxis.self) }

  mutating func transform() -> Transform {
    switch int(0 ... 2) {
    case 0: .identity
    case 1:
      .affine(
        a: number(),
        b: number(),
        c: number(),
        d: number(),
        tx: number(),
        ty: number()
      )
    default:
      .projective(
        Matrix4(
          rows: [number(), number(), number(), number()],
          [number(), number(), number(), number()],
          [number(), number(), number(), number()],
          [number(), number(), number(), number()]
        )
      )
    }
  }

  mutating func custom(depth: Int = 0) -> CustomValue {
    switch int(0 ... (depth < 3 ? 5 : 3)) {
    case 0: .null
    case 1: .bool(bool())
    case 2: .number(number())
    case 3: .string(word())
    case 4: .list(some { $0.custom(depth: depth + 1) })
    default: .object(customFields(depth: depth + 1))
    }
  }

  mutating func customFields(depth: Int = 0) -> [String: CustomValue] {
    var fields: [String: CustomValue] = [:]
    for _ in 0 ..< int(0 ... 3) { fields[word()] = custom(depth: depth) }
    return fields
  }

  mutating func itemPath() -> IndexPath {
    IndexPath(section: int(0 ... 1000), item: int(0 ... 10_000_000))
  }

  mutating func path() -> IndexPath {
    bool() ? itemPath() : IndexPath(section: int(0 ... 1000))
  }

  mutating func key() -> ElementKey {
    ElementKey(category: pick(ElementCategory.self), kind: word(), indexPath: path())
  }

  mutating func attributes() -> LayoutAttributes {
    LayoutAttributes(
      frame: rect(),
      transform: transform(),
      alpha: bool() ? 1 : number(0 ... 1),
      zIndex: int(-5 ... 20),
      isHidden: bool(),
      custom: maybe { $0.customFields() }
    )
  }
}
