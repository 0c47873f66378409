// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import Testing

@testable import LayoutEngine

@Suite("Variants with large configurations", .timeLimit(.minutes(1)))
struct VariantTableTests {
  private func variant(_ seed: Int, columns: Int = 1000) -> Variant {
    Variant(
      identity: ContentsIdentity(1),
      configuration: LayoutConfiguration(
        TableLayout(columns: (0 ..< columns).map { TableColumn("column \(seed) \($0)") })
      ),
      container: LayoutContainer(size: Size(width: 100, height: 100))
    )
  }

  @Test("equal ones are one object while it is in use, and others stay apart")
  func interning() {
    let table = VariantTable()
    let first = table.known(variant(1))
    #expect(table.known(variant(1)) === first)
    #expect(table.known(variant(2)) !== first)
    #expect(table.known(first) === first)
  }

  @Test("small ones are not kept")
  func small() {
    let table = VariantTable()
    #expect(table.known(variant(1, columns: 1)) !== table.known(variant(1, columns: 1)))
    #expect(table.count == 0)
  }

  @Test("those that nobody uses are forgotten")
  func forgetting() {
    let table = VariantTable()
    let used = table.known(variant(0))
    for seed in 1 ..< 1000 { _ = table.known(variant(seed, columns: 100)) }
    #expect(table.count < 200)
    #expect(table.known(variant(0)) === used)
  }

  @Test("who asks at the same time gets the same object")
  func concurrency() async {
    let table = VariantTable()
    let count = await withTaskGroup(of: Variant.self) { group in
      for _ in 0 ..< 100 { group.addTask { table.known(variant(3)) } }
      var found: [Variant] = []
      for await variant in group { found.append(variant) }
      return Set(found.map { ObjectIdentifier($0) }).count
    }
    #expect(count == 1)
  }
}
