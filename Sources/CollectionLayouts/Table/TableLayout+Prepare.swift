// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
internal import LayoutGeometry

extension TableLayout: BoundedLayout {
  /// "table".
  public var kindName: String { "table" }

  /// The memory that columns and kinds of rows take, in bytes: an estimate.
  ///
  /// - Complexity: O(parameters)
  public var parameterByteCount: Int {
    rowKinds.reduce(Self.byteCount(of: columns)) { sum, kind in
      kind.spans.reduce(sum + MemoryLayout<TableRowKind>.stride + kind.cellKind.utf8.count) {
        $0 + MemoryLayout<TableSpan>.stride + $1.column.utf8.count
      }
    }
  }

  private static func byteCount(of columns: [TableColumn]) -> Int {
    columns.reduce(0) {
      $0 + MemoryLayout<TableColumn>.stride + $1.id.utf8.count + byteCount(of: $1.columns)
    }
  }

  /// The width that the insets leave, the display scale and the reading direction.
  public func significantParts(of container: LayoutContainer) -> LayoutContainer {
    var parts = container
    parts.insets = .zero
    parts.references = .none
    parts.size = Size(width: container.contentSize.width, height: 0)
    return parts
  }

  /// Whether the element is a row and rows are self-sizing.
  public func acceptsMeasurement(of key: ElementKey, in section: SectionContents) -> Bool {
    rows.acceptsMeasurement(of: key, in: section)
  }

  /// Rows are those of a list.
  public var sharesUnchangedParts: Bool { true }

  /// Rows follow each other from the top on.
  public var placesInOrder: Bool { true }

  /// Places all rows.
  ///
  /// - Complexity: that of a list, and O(n log n) for n columns
  public func placed(_ context: LayoutContext, within work: LayoutWork) -> any PreparedLayout {
    PreparedTable(
      self,
      rows: rows.placed(PreparedTable.rowContext(context), within: work),
      context: context
    )
  }

  /// Places the rows that changed, and shares the others and the columns.
  ///
  /// - Complexity: that of a list
  public func derived(
    from prepared: any PreparedLayout,
    by change: ContentsChange,
    within work: LayoutWork
  ) -> any PreparedLayout {
    var context = prepared.context
    context.contents = change.new
    guard let table = prepared as? PreparedTable, table.layout.rows == rows else {
      return placed(context, within: work)
    }
    let rows = rows.derived(from: table.rows, by: change, within: work)
    return PreparedTable(self, rows: rows, context: context, last: table)
  }
}
