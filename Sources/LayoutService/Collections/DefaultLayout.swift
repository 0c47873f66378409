// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionStore
internal import LayoutProtocol
internal import SwiftProtobuf

/// The layout of viewers and questions that name none.
enum DefaultLayout {
  /// - Throws: LAYOUT_KIND_UNKNOWN where the collection has no default.
  static func configuration(
    of record: CollectionRecord,
    by rules: ReadingRules,
    field: String
  ) throws(LayoutProblem) -> LayoutConfiguration {
    guard let bytes = record.defaultLayout,
      let spec = try? Wire.LayoutSpec(serializedBytes: bytes)
    else {
      throw .layoutKindUnknown(
        field: field,
        found: "no layout found, and the collection has no default",
        supported: rules.registry.supportedKinds
      )
    }
    return try spec.decoded(by: rules, prefix: "default_layout")
  }
}
