// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
package import LayoutSession

// MARK: - Options

extension FieldReader {
  /// Reads what is to be prefetched.
  mutating func prefetchOptions(_ message: Wire.PrefetchOptions) -> PrefetchOptions {
    if message.maxItems > PrefetchOptions.greatestMaxItems {
      reject(
        "max_items",
        "\(message.maxItems) found; 0 to \(PrefetchOptions.greatestMaxItems) are allowed"
      )
    }
    return PrefetchOptions(
      maxItems: Int(message.maxItems),
      distanceAhead: message.hasDistanceAhead
        ? length(message.distanceAhead, "distance_ahead") : nil,
      distanceBehind: message.hasDistanceBehind
        ? length(message.distanceBehind, "distance_behind") : nil
    )
  }
}

extension Wire.PrefetchOptions {
  init(_ options: PrefetchOptions) {
    self.init()
    maxItems = UInt32(clamping: options.maxItems)
    if let distance = options.distanceAhead { distanceAhead = distance }
    if let distance = options.distanceBehind { distanceBehind = distance }
  }
}

// MARK: - Changes

extension Wire.PrefetchChange {
  /// The messages of a change.
  ///
  /// - Parameter maxBytes: of one response, 16 KiB or more.
  package static func parts(
    of change: PrefetchChange,
    maxBytes: Int
  ) -> [Wire.PrefetchChange] {
    var parts = MessageParts(Wire.PrefetchChange(), maxBytes: maxBytes)
    for item in change.items {
      let texts = [item.key.kind, item.itemKey, item.itemData]
      let bytes = texts.reduce(64) { $0 + $1.utf8.count }
      parts.add(bytes) { $0.items.append(Wire.PrefetchItem(item)) }
    }
    for number in change.shown { parts.add(10) { $0.shown.append(number) } }
    for number in change.cancelled { parts.add(10) { $0.cancelled.append(number) } }
    var messages = parts.messages
    for index in messages.indices {
      messages[index].dataVersion = change.dataVersion
      messages[index].reset = change.isReset && index == 0
      messages[index].continued = index < messages.count - 1
    }
    return messages
  }
}

extension Wire.PrefetchItem {
  init(_ item: PrefetchChange.Item) {
    self.init()
    number = item.number
    key = Wire.ElementKey(item.key)
    itemKey = item.itemKey
    itemData = item.itemData
  }
}

extension PrefetchChange {
  /// Reads one part of a change, as a client receives it.
  ///
  /// - Throws: FIELD_INVALID if a key is invalid.
  package init(_ message: Wire.PrefetchChange) throws(LayoutProblem) {
    var reader = FieldReader(prefix: "prefetch")
    let items = reader.each(message.items, "items") { item, reader in
      Item(
        number: item.number,
        key: reader.elementKey(item.key, "key"),
        itemKey: reader.text(item.itemKey, "item_key", maxBytes: FieldReader.maxKeyBytes),
        itemData: item.itemData
      )
    }
    try reader.finish()
    self.init(
      isReset: message.reset,
      dataVersion: message.dataVersion,
      items: items,
      shown: message.shown,
      cancelled: message.cancelled
    )
  }
}

/// Messages that together hold lists which do not fit into one.
struct MessageParts<Message> {
  private(set) var messages: [Message]
  private let empty: Message
  private let limit: Int
  /// Of the last message.
  private var bytes = 0

  /// - Parameter maxBytes: of one response, more than 1,024.
  init(_ empty: Message, maxBytes: Int) {
    self.empty = empty
    messages = [empty]
    limit = maxBytes - 512
  }

  /// Adds to the last message, or to a new one if there is no room.
  ///
  /// - Parameter count: the bytes that it takes at most.
  mutating func add(_ count: Int, _ fill: (inout Message) -> Void) {
    if bytes > 0, bytes + count > limit {
      messages.append(empty)
      bytes = 0
    }
    bytes += count
    fill(&messages[messages.count - 1])
  }
}
