// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import Testing

@Suite("Hashes of tables", .timeLimit(.minutes(1)))
struct TableHashTests {
  private static let table = TableLayout(
    columns: (0 ..< 50).map { TableColumn("c\($0)", width: .points(Double($0 + 1))) },
    rowKinds: [TableRowKind(cellKind: "whole", isWhole: true)]
  )

  /// Tables that differ from `table` in one place each.
  private static let others: [TableLayout] = {
    func changed(_ change: (inout TableLayout) -> Void) -> TableLayout {
      var table = table
      change(&table)
      return table
    }
    return [
      changed { $0.columns[20].width = .points(500) },
      changed { $0.columns[20].isHidden = true },
      changed { $0.columns[20].id = "other" },
      changed { $0.columns[20].columns = [TableColumn("inner")] },
      changed { $0.rowKinds[0].isWhole = false },
      changed { $0.rowSpacing = 1 },
      changed { $0.separatorThickness = 1 },
    ]
  }()

  @Test("tables that differ in any place have different hashes", arguments: others)
  func differences(other: TableLayout) {
    #expect(other.hashValue != Self.table.hashValue)
    #expect(LayoutConfiguration(other).hashValue != LayoutConfiguration(Self.table).hashValue)
  }
}
