// SPDX-License-Identifier: Apache-2.0

package import CollectionLayouts
package import CollectionModel

/// Estimates, from above, what one viewer's own rows and their layout take beyond those that all
/// viewers share.
package struct ExpansionFootprint: Sendable {
  private var copies = CopiedItems()

  /// Nothing is of the viewer's own.
  package init() {}

  /// Adds items that were expanded and collapsed.
  package mutating func add(expansion change: ContentsChange) { copies.follow(expansion: change) }

  /// Adds a batch, or sizes that were shared. All viewers may have the same rows after it, but each
  /// its own copy of them.
  mutating func add(_ change: ContentsChange) { copies.follow(change) }

  /// The most bytes that these rows can take beyond those of all viewers.
  package func contentsBytes(of rows: CollectionContents) -> Int {
    let exceptions = Self.exceptionBytes * rows.expansionExceptionCount
    return min(Self.fixedBytes + exceptions + copies.byteCount(in: rows), rows.approximateByteCount)
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
    return min(
      bytes,
      Self.fixedBytes + copies.pathByteCount + Int(copies.changedShare(of: rows) * Double(bytes))
    )
  }

  /// Roughly the bytes of an exception in the list of a section.
  private static let exceptionBytes = 96
  /// Roughly the bytes of what does not depend on the changes.
  private static let fixedBytes = 8 << 10
}
