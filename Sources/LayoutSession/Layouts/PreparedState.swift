// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import LayoutGeometry

/// A prepared layout, and the state of the session that it was prepared for.
struct PreparedState: Sendable {
  var box: LayoutBox
  /// What is shown in place of the configuration's layout; nil = that is shown.
  var standIn: Boxed<LayoutConfiguration>?
  /// Whether this is a layout of the beginning of the contents only, which serves a first frame and
  /// nothing else.
  var isProvisional = false
  /// The session's `geometry`.
  var geometry: UInt64
  /// The epoch of the session's contents.
  var epoch: Int
  /// The data version of the session's contents.
  var dataVersion: UInt64
  /// The version space of the session's contents, and their version in it.
  var versionSpace: Int
  var sharedVersion: UInt64
  /// Whether the contents were exactly those of the collection at `dataVersion`.
  var isShareable: Bool
  let boxedConfiguration: Boxed<LayoutConfiguration>
  /// The parts of the container on which the layout depends.
  var container: LayoutContainer

  var layout: any PreparedLayout { box.value }
  var configuration: LayoutConfiguration { boxedConfiguration.value }
  /// What `box` is a layout of.
  var shownConfiguration: Boxed<LayoutConfiguration> { standIn ?? boxedConfiguration }
}
