// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
package import LayoutSession
import SwiftProtobuf

// MARK: - Options

extension FieldReader {
  /// Reads which elements to report once they have been seen.
  mutating func visibilityOptions(_ message: Wire.VisibilityOptions) -> VisibilityOptions {
    guard limit(message.rules.count, "rules", to: VisibilityOptions.maxRules) else {
      return VisibilityOptions()
    }
    return VisibilityOptions(rules: each(message.rules, "rules") { $1.visibilityRule($0) })
  }

  private mutating func visibilityRule(_ message: Wire.VisibilityRule) -> VisibilityRule {
    VisibilityRule(
      threshold: number(message.threshold, "threshold", in: 0 ... 1),
      measure: choice(message.measure, "measure") { measure -> VisibilityRule.Measure? in
        switch measure {
        case .unspecified, .area: .area
        case .length: .length
        case .UNRECOGNIZED: nil
        }
      } ?? .area,
      duration: message.hasDuration ? duration(message.duration, "duration") : .zero,
      isOnce: message.once,
      categories: categories(message.categories),
      kinds: kinds(message.kinds)
    )
  }

  private mutating func categories(_ messages: [Wire.ElementCategory]) -> Set<ElementCategory> {
    var categories: Set<ElementCategory> = []
    for (index, category) in messages.enumerated() {
      switch category {
      case .cell: categories.insert(.cell)
      case .supplementary: categories.insert(.supplementary)
      case .decoration: categories.insert(.decoration)
      case .unspecified, .UNRECOGNIZED:
        reject(
          "categories",
          at: index,
          "\(category.rawValue) found; 1 (cell), 2 (supplementary) and 3 (decoration) are allowed"
        )
      }
    }
    return categories
  }

  private mutating func kinds(_ names: [String]) -> [String] {
    guard limit(names.count, "kinds", to: VisibilityRule.maxKinds) else { return [] }
    for (index, name) in names.enumerated() where name.utf8.count > FieldReader.maxNameBytes {
      reject(
        "kinds",
        at: index,
        "\(name.utf8.count) bytes found; at most \(FieldReader.maxNameBytes) are allowed"
      )
    }
    return names
  }
}

extension Wire.VisibilityOptions {
  init(_ options: VisibilityOptions) {
    self.init()
    rules = options.rules.map { Wire.VisibilityRule($0) }
  }
}

extension Wire.VisibilityRule {
  init(_ rule: VisibilityRule) {
    self.init()
    threshold = rule.threshold
    measure = rule.measure == .area ? .area : .length
    if rule.duration != .zero { duration = .init(rule.duration) }
    once = rule.isOnce
    categories = rule.categories.sorted().map { Wire.ElementCategory($0) }
    kinds = rule.kinds
  }
}

// MARK: - Changes

extension Wire.VisibilityChange {
  /// The messages of a change.
  ///
  /// - Parameter maxBytes: of one response, 16 KiB or more.
  package static func parts(
    of change: VisibilityChange,
    maxBytes: Int
  ) -> [Wire.VisibilityChange] {
    var parts = MessageParts(Wire.VisibilityChange(), maxBytes: maxBytes)
    for sighting in change.began {
      let bytes = 96 + sighting.key.kind.utf8.count + sighting.itemKey.utf8.count
      parts.add(bytes) { $0.began.append(Wire.Sighting(sighting)) }
    }
    for end in change.ended { parts.add(40) { $0.ended.append(Wire.SightingEnd(end)) } }
    var messages = parts.messages
    for index in messages.indices {
      messages[index].dataVersion = change.dataVersion
      messages[index].reset = change.isReset && index == 0
      messages[index].continued = index < messages.count - 1
    }
    return messages
  }
}

extension Wire.Sighting {
  init(_ sighting: VisibilityChange.Sighting) {
    self.init()
    number = sighting.number
    rule = UInt32(clamping: sighting.rule)
    key = Wire.ElementKey(sighting.key)
    itemKey = sighting.itemKey
    slot = sighting.slot
    seenFor = .init(sighting.seenFor)
  }
}

extension Wire.SightingEnd {
  init(_ end: VisibilityChange.End) {
    self.init()
    number = end.number
    seenFor = .init(end.seenFor)
  }
}

extension VisibilityChange {
  /// Reads one part of a change, as a client receives it.
  ///
  /// - Throws: FIELD_INVALID if a key or a duration is invalid.
  package init(_ message: Wire.VisibilityChange) throws(LayoutProblem) {
    var reader = FieldReader(prefix: "visibility")
    let began = reader.each(message.began, "began") { sighting, reader in
      Sighting(
        number: sighting.number,
        rule: Int(sighting.rule),
        key: reader.elementKey(sighting.key, "key"),
        itemKey: reader.text(sighting.itemKey, "item_key", maxBytes: FieldReader.maxKeyBytes),
        slot: sighting.slot,
        seenFor: reader.duration(sighting.seenFor, "seen_for")
      )
    }
    let ended = reader.each(message.ended, "ended") { end, reader in
      End(number: end.number, seenFor: reader.duration(end.seenFor, "seen_for"))
    }
    try reader.finish()
    self.init(
      isReset: message.reset,
      dataVersion: message.dataVersion,
      began: began,
      ended: ended
    )
  }
}
