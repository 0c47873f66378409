// SPDX-License-Identifier: Apache-2.0

package import CollectionLayouts
package import CollectionModel

/// What the rows of a viewer who has expanded or collapsed something take, and a layout of them, beyond those that all
/// viewers share. An estimate from above.
package struct ExpansionFootprint: Sendable {
  /// Roughly the bytes that were copied of the contents.
  private var copiedBytes = 0
  /// The rows that others may not see.
  private var rowCount = 0

  /// Nothing is of the viewer's own.
  package init() {}

  /// Adds items that were expanded and collapsed.
  package mutating func add(expansion change: ContentsChange) {
    copiedBytes += change.expansionByteCount
    rowCount += change.insertedItemCount
  }

  /// Adds a batch. All viewers may have the same rows after it, but each its own copy of them.
  mutating func add(batch change: ContentsChange) {
    copiedBytes += change.replacedByteCount
    rowCount += change.insertedItemCount
  }

  /// Adds sizes that were shared. Each is in a chunk of the viewer's own afterwards.
  mutating func add(sizes change: ContentsChange) {
    copiedBytes += change.resizedByteCount
    rowCount += change.insertedItemCount
  }

  /// The most bytes that these rows can take beyond those of all viewers.
  ///
  /// An exception moves rows at two places: a chunk and a leaf with their paths are copied there.
  package func contentsBytes(of rows: CollectionContents) -> Int {
    min(copiedBytes(of: rows), rows.approximateByteCount)
  }

  /// The most bytes that a layout of these rows can take beyond that of all viewers.
  ///
  /// - Parameter bytes: what the layout takes in all.
  package func layoutBytes(
    _ bytes: Int,
    of layout: any CollectionLayout,
    _ rows: CollectionContents
  ) -> Int {
    guard layout.sharesUnchangedParts else { return bytes }
    let share = min(1, Double(rowCount) / Double(max(1, rows.itemCount)))
    return min(bytes, copiedBytes(of: rows) + Int(share * Double(bytes)))
  }

  private func copiedBytes(of rows: CollectionContents) -> Int {
    Self.exceptionBytes * (1 + rows.expansionExceptionCount) + 2 * copiedBytes
  }

  private static let exceptionBytes = 32 << 10
}
