// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutSession

/// Random sessions of a self-sizing list, against rows in an array: where each begins, how long
/// that holds, when it stays at an edge, and where short content is.
@Suite("Random walks of places", .timeLimit(.minutes(2)))
struct PlaceWalkTests {
  private static let spacing = 4.0
  private static let estimate = 20.0
  private static let width = 300.0

  /// What the session is to do, by sums over all rows.
  private struct Reference {
    var rows: [(key: String, height: Double)]
    var height: Double
    var insets: EdgeInsets
    let options: SessionOptions
    let start: SessionStart

    func top(_ index: Int) -> Double {
      rows[..<index].reduce(0) { $0 + $1.height + PlaceWalkTests.spacing }
    }

    var contentHeight: Double { rows.isEmpty ? 0 : top(rows.count) - PlaceWalkTests.spacing }

    var legal: (min: Double, max: Double) {
      let (low, high) = (-insets.top, contentHeight + insets.bottom - height)
      guard high < low else { return (low, high) }
      switch options.alignment {
      case nil, .start: return (low, low)
      case .center: return ((low + high) / 2, (low + high) / 2)
      case .end: return (high, high)
      }
    }

    var startOffset: Double? {
      let (low, high) = legal
      switch start {
      case .edge(let edge): return edge == .start ? low : high
      case .fraction(let fraction): return low + (high - low) * fraction
      case .item(let key, let position, _):
        guard let index = rows.firstIndex(where: { $0.key == key }) else { return nil }
        let atStart = top(index) - insets.top
        let atEnd = top(index) + rows[index].height + insets.bottom - height
        let offset =
          switch position {
          case .start: atStart
          case .end: atEnd
          case .center: (atStart + atEnd) / 2
          case .nearest: min(max(low, min(atStart, atEnd)), max(atStart, atEnd))
          }
        return min(max(offset, low), high)
      case .element: return nil
      }
    }

    /// The tops of the rows in sight, by key.
    func sight(at offset: Double) -> [String: Double] {
      let (from, to) = (offset + insets.top, offset + height - insets.bottom)
      var result: [String: Double] = [:]
      for index in rows.indices {
        let y = top(index)
        if y < to, y + rows[index].height > from { result[rows[index].key] = y - offset }
      }
      return result
    }
  }

  private struct Walk {
    var random: SplitMix64
    var reference: Reference
    var scene: Scene
    /// The offset at which the start was found last; nil = it holds no longer.
    var held: Double?
    var nextKey = 0

    init(seed: UInt64) {
      var random = SplitMix64(seed: seed)
      let count = Int.random(in: 1 ... 80, using: &random)
      let contents = CollectionContents.keyed(count)
      let starts: [SessionStart] = [
        .edge(.start), .edge(.end), .fraction(Double.random(in: 0 ... 1, using: &random)),
        .item(
          key: "a\(Int.random(in: 0 ..< count, using: &random))",
          at: ScrollPosition.allCases.randomElement(using: &random) ?? .start
        ),
      ]
      let start = starts.randomElement(using: &random) ?? .edge(.end)
      let options = SessionOptions(
        anchorMode: AnchorMode.allCases.randomElement(using: &random) ?? .none,
        sizeChangeAnchor: [nil, .start, .end].randomElement(using: &random) ?? nil,
        alignment: [nil, .start, .center, .end].randomElement(using: &random) ?? nil
      )
      let insets = EdgeInsets(
        top: Double(Int.random(in: 0 ... 60, using: &random)),
        leading: 0,
        bottom: Double(Int.random(in: 0 ... 60, using: &random)),
        trailing: 0
      )
      reference = Reference(
        rows: (0 ..< count).map { ("a\($0)", PlaceWalkTests.estimate) },
        height: 400,
        insets: insets,
        options: options,
        start: start
      )
      scene = Scene(
        contents,
        layout: ListLayout(
          rowHeight: PlaceWalkTests.estimate,
          isSelfSizing: true,
          rowSpacing: PlaceWalkTests.spacing
        ),
        size: Size(width: PlaceWalkTests.width, height: 400),
        insets: insets,
        options: options,
        start: start
      )
      self.random = random
      held = scene.client.offset.y
      expect(scene.client.offset.y, reference.startOffset, "opened")
    }

    private func expect(_ offset: Double, _ expected: Double?, _ cause: String) {
      guard let expected else { return }
      #expect(abs(offset - expected) < 1e-6, "\(cause): \(offset) instead of \(expected)")
    }

    /// Makes a change, and holds what comes of it against the rules.
    private mutating func check(
      _ cause: String,
      isData: Bool = false,
      _ change: (inout Walk) -> Void
    ) {
      let (old, offset) = (reference, scene.client.offset.y)
      let oldLegal = old.legal
      change(&self)
      scene.checkMirror()
      let (low, high) = reference.legal
      let new = scene.client.offset.y
      let isHeld = held.map { abs($0 - offset) <= 1 } ?? false
      let edge = reference.options.stayingEdge
      let reach = reference.options.sizeChangeAnchor == nil ? 1.0 / 64 : 1
      let isShort = low == high
      if isHeld, !isData, let place = reference.startOffset {
        expect(new, place, "\(cause), held")
      } else if isShort, reference.options.alignment != nil {
        expect(new, low, "\(cause), short")
      } else if edge == .end, offset >= oldLegal.max - reach {
        expect(new, high, "\(cause), at the end")
      } else if edge == .start, offset <= oldLegal.min + reach {
        expect(new, max(low, min(offset, high)), "\(cause), at the start")
      } else {
        expectStill(old.sight(at: offset), at: new, cause)
      }
      #expect(new >= low - 1e-6 && new <= high + 1e-6, "\(cause): \(new) of \(low) to \(high)")
      if let place = reference.startOffset, isHeld, abs(place - new) <= 1 {
        held = new
      } else {
        held = nil
      }
    }

    /// At least one row in sight is where it was, unless there is none or an edge is in the way.
    private func expectStill(_ before: [String: Double], at offset: Double, _ cause: String) {
      guard reference.options.anchorMode != .none else { return }
      let (low, high) = reference.legal
      if offset <= low + 1e-6 || offset >= high - 1e-6 { return }
      var isAnyLeft = false
      for (index, row) in reference.rows.enumerated() {
        guard let y = before[row.key] else { continue }
        isAnyLeft = true
        let top = reference.top(index) - offset
        // The anchor is the upper or the lower edge of a row.
        if abs(top - y) < 1e-6 || reference.options.anchorMode == .lastVisible { return }
      }
      #expect(!isAnyLeft, "\(cause): nothing is where it was")
    }

    mutating func step() {
      switch Int.random(in: 0 ..< 10, using: &random) {
      case 0 ..< 3: scroll()
      case 3: resize()
      case 4 ..< 7: measure()
      default: edit()
      }
    }

    private mutating func scroll() {
      let (low, high) = reference.legal
      let current = scene.client.offset.y
      let goals = [
        low, high, current + 0.5, current - 0.5, Double.random(in: low ... high, using: &random),
      ]
      let goal = goals.randomElement(using: &random) ?? low
      scene.scroll(to: min(max(goal, low), high))
    }

    private mutating func resize() {
      let height = Double(Int.random(in: 100 ... 600, using: &random))
      check("resized") {
        $0.reference.height = height
        $0.scene.send(
          .viewport(ViewportChange(size: Size(width: PlaceWalkTests.width, height: height)))
        )
      }
    }

    private mutating func measure() {
      let cells = scene.client.slots.values.compactMap(\.key.indexPath.item).sorted()
      let items = cells.filter { _ in Bool.random(using: &random) }
      guard !items.isEmpty else { return }
      let heights = items.map { _ in Double(Int.random(in: 5 ... 90, using: &random)) }
      check("measured") { walk in
        for (item, height) in zip(items, heights) { walk.reference.rows[item].height = height }
        walk.scene.measure(
          zip(items, heights).map { ($0, Size(width: PlaceWalkTests.width, height: $1)) }
        )
      }
    }

    private mutating func edit() {
      let count = reference.rows.count
      if Bool.random(using: &random), count > 1 {
        let from = Int.random(in: 0 ..< count - 1, using: &random)
        let range = from ..< min(count - 1, from + Int.random(in: 1 ... 5, using: &random))
        check("deleted \(range)", isData: true) {
          $0.reference.rows.removeSubrange(range)
          $0.scene.update([.delete(range)])
        }
      } else {
        let place =
          Bool.random(using: &random) ? count : Int.random(in: 0 ... count, using: &random)
        nextKey += 1
        let key = "n\(nextKey)"
        check("inserted at \(place)", isData: true) {
          $0.reference.rows.insert((key, PlaceWalkTests.estimate), at: place)
          $0.scene.update([.insert(key, at: place)])
        }
      }
    }
  }

  @Test("sessions begin, stay and are aligned where the sums say", arguments: 0 ..< 24)
  func walks(seed: UInt64) {
    var walk = Walk(seed: seed)
    for _ in 0 ..< 40 { walk.step() }
  }
}
