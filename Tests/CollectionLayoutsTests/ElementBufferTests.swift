// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import Testing

@Suite("Element buffer", .timeLimit(.minutes(1)))
struct ElementBufferTests {
  @Test("a query that was cut short stays so, however many steps are reported")
  func steps() {
    var buffer = ElementBuffer(stepLimit: 1000)
    var goesOn = buffer.visit(1)
    #expect(goesOn)
    for _ in 0 ..< 4 {
      goesOn = buffer.visit(.max)
      #expect(!goesOn)
    }
    #expect(buffer.isCutShort && buffer.isFull)

    buffer.removeAll()
    goesOn = buffer.visit(.min)
    #expect(goesOn && !buffer.isCutShort)
  }

  @Test("queries of few steps count as well", arguments: [65, 100, 1000, 4095])
  func small(steps: Int) {
    let work = LayoutWork(stepLimit: 100_000, stepsBetweenChecks: 1)
    var taken = 0
    while !work.isStopped, taken < 1_000_000 {
      var buffer = ElementBuffer(work: work)
      for _ in 0 ..< steps { buffer.visit(1) }
      taken += steps
    }
    // Every query tells of at least half of its steps.
    #expect(work.isStopped && taken <= 205_000)
  }

  @Test("a step limit that is negative is one of no steps")
  func negativeLimit() {
    var buffer = ElementBuffer(stepLimit: .min)
    let goesOn = buffer.visit(1)
    #expect(!goesOn)
    #expect(buffer.isCutShort)
  }

  @Test("an element from another buffer does not refer to attributes of that one")
  func foreignExtra() {
    var other = ElementBuffer()
    other.append(
      LayoutAttributes(frame: .zero, transform: .scale(2)),
      category: .cell,
      kind: 0,
      indexPath: IndexPath(section: 0, item: 0)
    )
    var buffer = ElementBuffer()
    for element in other.elements { buffer.append(element) }
    let transforms = buffer.elements.map { buffer.transform(of: $0) }
    #expect(transforms == [.identity])
    #expect(other.transform(of: other.elements[0]) == .scale(2))
  }
}
