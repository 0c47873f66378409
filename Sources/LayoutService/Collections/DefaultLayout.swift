// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionStore
internal import LayoutProtocol
internal import SwiftProtobuf

/// The layout for viewers and queries that do not name one.
enum DefaultLayout {
  /// The default layout of a collection.
  ///
  /// - Parameter field: the field that should have named a layout, for the error.
  /// - Throws: LAYOUT_KIND_UNKNOWN if the collection has no default layout.
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
