// SPDX-License-Identifier: Apache-2.0

import LayoutGeometry
import TestSupport
import Testing

@testable import CollectionLayouts

@Suite("Room that columns share", .timeLimit(.minutes(3)))
struct SharedRoomTests {
  private static let extremes: [Double] = [
    .leastNonzeroMagnitude, 100 * .leastNonzeroMagnitude, .leastNormalMagnitude, 1e-300, 1e-20, 0.5,
    1, 3, 1e20, 1e300, .greatestFiniteMagnitude,
  ]

  private func part(
    _ share: Double,
    _ least: Double = 0,
    _ greatest: Double = .infinity
  ) -> SharedRoom.Part { SharedRoom.Part(share: share, least: least, greatest: greatest) }

  @Test("whatever the shares are, widths are finite and take no more than the room")
  func finite() {
    for first in Self.extremes {
      for second in Self.extremes {
        for greatest in [50, 1e12, .infinity] {
          let parts = [part(first, 0, greatest), part(second), part(second, 10, 20)]
          let widths = SharedRoom(parts: parts).widths(in: 400)
          #expect(widths.allSatisfy { $0.isFinite && $0 >= 0 }, "\(first) \(second) \(greatest)")
          expectClose(widths.reduce(0, +), 400, "\(first) \(second) \(greatest)")
        }
      }
    }
  }

  @Test("a part that alone may grow takes what is left, however small its share")
  func smallest() {
    let parts = [part(1, 0, 100), part(.leastNonzeroMagnitude)]
    #expect(SharedRoom(parts: parts).widths(in: 1000) == [100, 900])
  }

  @Test("only the proportion of shares matters", arguments: 0 ..< 50)
  func proportion(seed: UInt64) {
    var random = SplitMix64(seed: 7000 + seed)
    let parts = (0 ..< random.int(1 ... 12)).map { _ in
      let least = random.chance(40) ? random.double(0 ... 90) : 0
      let greatest = random.chance(40) ? least + random.double(0 ... 90) : .infinity
      return part(random.double(0.1 ... 9), least, greatest)
    }
    let room = random.double(-10 ... 900)
    let widths = SharedRoom(parts: parts).widths(in: room)
    for exponent in [-900, -60, -1, 3, 800] {
      let factor = Double(sign: .plus, exponent: exponent, significand: 1)
      let scaled = parts.map { part($0.share * factor, $0.least, $0.greatest) }
      #expect(SharedRoom(parts: scaled).widths(in: room) == widths, "seed \(seed), 2^\(exponent)")
    }
  }

  @Test(
    "a table of extreme columns has a finite size",
    arguments: [Double.leastNonzeroMagnitude, 1e308]
  )
  func table(extreme: Double) {
    let columns = [
      TableColumn("a", width: .share(extreme)), TableColumn("b", width: .points(extreme)),
      TableColumn("c", width: .points(1), minimum: extreme),
      TableColumn("d", width: .share(1), minimum: extreme, maximum: extreme),
    ]
    let context = LayoutContext(
      contents: plainContents(10),
      container: LayoutContainer(size: Size(width: 300, height: 200))
    )
    for used in [Array(columns[..<1]), columns, columns.reversed()] {
      let prepared = TableLayout(columns: used).prepare(context)
      #expect(prepared.contentSize.width <= 0x1p43)
      let viewport = Viewport(of: context.container)
      for element in prepared.probed(in: .everywhere, viewport) {
        #expect(element.attributes.frame.width.isFinite && element.attributes.frame.x.isFinite)
      }
    }
    #expect(TableLayout(columns: [columns[0]]).prepare(context).contentSize.width == 300)
  }
}
