// SPDX-License-Identifier: Apache-2.0

internal import LayoutProtocol

/// How a session takes part in shared measurements (`ViewerConfiguration.renderer`).
public enum MeasurementSharing: Hashable, Sendable, CaseIterable {
  /// The server shares none, or the session is not open.
  case unknown
  /// What the session measures serves others, and what they measure serves it.
  case contributes
  /// What others measure serves the session. What it measures otherwise it keeps to itself, since its client has
  /// not the role "measure".
  case reads
  /// The session measures for itself: it names no renderer.
  case noRenderer
  /// It measures for itself: the collection shares no measurements.
  case notShared
  /// It measures for itself: its contents are its own.
  case ownContents
  /// It measures for itself: viewers of the collection have too many renderers, layouts and containers.
  case limit

  init(_ state: Wire.MeasurementSharingState) {
    switch state {
    case .contributes: self = .contributes
    case .reads: self = .reads
    case .noRenderer: self = .noRenderer
    case .notShared: self = .notShared
    case .inlineContents: self = .ownContents
    case .limit: self = .limit
    case .unspecified, .UNRECOGNIZED: self = .unknown
    }
  }
}
