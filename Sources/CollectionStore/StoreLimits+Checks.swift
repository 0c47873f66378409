// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

extension StoreLimits {
  /// - Returns: `record.byteCount`
  /// - Throws: `StoreError.limitExceeded(.recordBytes, …)`
  func check(_ record: CollectionRecord) throws(StoreError) -> Int {
    let bytes = record.byteCount
    guard bytes <= recordBytes else {
      throw .limitExceeded(.recordBytes, found: bytes, limit: recordBytes)
    }
    return bytes
  }

  /// - Parameter bytes: what the contents took before; where they take no more now, they are fine.
  /// - Returns: `contents.residentByteCount`
  /// - Throws: `StoreError.limitExceeded(.collectionBytes, …)`
  func check(
    _ contents: CollectionContents,
    growingFrom bytes: Int = 0
  ) throws(StoreError) -> Int {
    let found = contents.residentByteCount
    guard found <= max(collectionBytes, bytes) else {
      throw .limitExceeded(.collectionBytes, found: found, limit: collectionBytes)
    }
    return found
  }
}

extension CollectionContents {
  /// What the contents take in memory, their key index included, which is made with the first batch
  /// that needs it.
  /// - Complexity: O(1)
  var residentByteCount: Int {
    approximateByteCount + (hasItemKeys ? itemCount * Self.bytesOfIndexedKey : 0)
  }

  /// An entry of the key index, with its share of the trie's nodes.
  private static let bytesOfIndexedKey = 20
}

extension ContentsChange {
  /// What is kept in memory for the sake of an old version, roughly: the replaced items, the chunks
  /// that they stood in, and the paths to these.
  ///
  /// - Parameter payload: bytes of the batch.
  /// - Complexity: O(splices)
  func pinnedByteCount(payload: Int) -> Int {
    let (oldBytes, oldItems) = (old.residentByteCount, old.itemCount)
    var items = 0
    for splice in sectionSplices {
      items += old.itemCount(before: splice.old.upperBound)
      items -= old.itemCount(before: splice.old.lowerBound)
    }
    for section in changedSections {
      for splice in section.itemSplices { items += splice.old.count + Self.itemsOfChunk }
    }
    let share = Double(min(items, oldItems)) / Double(max(1, oldItems))
    return 4096 + 2 * payload + Int(Double(oldBytes) * share)
  }

  /// An edit replaces the rest of its chunk as well.
  private static let itemsOfChunk = 256
}
