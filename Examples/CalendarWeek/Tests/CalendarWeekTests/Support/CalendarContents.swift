// SPDX-License-Identifier: Apache-2.0

import CalendarWeek
import CollectionLayouts
import CollectionModel
import LayoutGeometry

/// An event by its hours.
struct Hours {
  var start: Double
  var end: Double

  init(_ start: Double, _ end: Double) {
    self.start = start
    self.end = end
  }
}

extension ItemBlock {
  init(_ events: [Hours]) {
    self.init(
      count: events.count,
      heights: events.map { $0.end - $0.start },
      ys: events.map(\.start)
    )
  }
}

extension CollectionContents {
  init(days: [[Hours]]) {
    self.init(sections: days.map { SectionContents(blocks: $0.isEmpty ? [] : [ItemBlock($0)]) })
  }
}

extension CalendarWeekLayout {
  /// Prepared 456 wide: 400 for the days.
  func prepared(
    _ contents: CollectionContents,
    width: Double = 456,
    options: LayoutOptions = .init(),
    isRightToLeft: Bool = false
  ) -> any PreparedLayout {
    prepare(
      LayoutContext(
        contents: contents,
        container: LayoutContainer(
          size: Size(width: width, height: 300),
          displayScale: 2,
          isRightToLeft: isRightToLeft
        ),
        options: options
      )
    )
  }
}

extension PreparedLayout {
  /// Keys and attributes in the order of answers.
  func elements(in rect: Rect, _ viewport: Viewport) -> [PlacedElement] {
    var buffer = ElementBuffer()
    appendElements(in: rect, viewport: viewport, to: &buffer)
    buffer.sort()
    return buffer.elements.map { element in
      PlacedElement(
        key: ElementKey(
          category: element.category,
          kind: kindNames[Int(element.kind)],
          indexPath: element.indexPath
        ),
        attributes: buffer.attributes(of: element)
      )
    }
  }

  func frame(_ key: ElementKey, _ viewport: Viewport = .atStart) -> Rect? {
    attributes(of: key, viewport: viewport)?.frame
  }
}

struct PlacedElement: Hashable {
  var key: ElementKey
  var attributes: LayoutAttributes
}

extension Viewport {
  static let atStart = Viewport(offset: .zero, size: Size(width: 456, height: 300))
}

extension Rect {
  static let everywhere = Rect(x: -1e6, y: -1e6, width: 2e6, height: 2e6)
}

/// SplitMix64: the same weeks in every run.
struct CalendarRandom {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(bound, 1))) }

  /// A multiple of a quarter within 0..<bound.
  mutating func quarters(below bound: Int) -> Double { Double(below(bound * 4)) / 4 }

  mutating func events(_ count: Int) -> [Hours] {
    (0 ..< count).map { _ in
      let start = quarters(below: 30) - 3
      return Hours(start, start + quarters(below: below(8) == 0 ? 20 : 4))
    }
  }

  mutating func week() -> CollectionContents {
    CollectionContents(days: (0 ..< below(9)).map { _ in events(below(20)) })
  }

  mutating func rect(in size: Size) -> Rect {
    Rect(
      x: Double(below(Int(size.width) + 100)) - 50,
      y: Double(below(Int(size.height) + 100)) - 50,
      width: Double(below(300)),
      height: Double(below(300))
    )
  }
}
