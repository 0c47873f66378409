// SPDX-License-Identifier: Apache-2.0

internal import LayoutProtocol

/// How a session takes part in shared measurements (`ViewerConfiguration.renderer`).
public enum MeasurementSharing: Hashable, Sendable, CaseIterable {
  /// The server does not share measurements, or the session is not open.
  case unknown
  /// The session's measurements serve others, and theirs serve it.
  case contributes
  /// The measurements of others serve the session. It keeps its own to itself, because its client
  /// lacks the role "measure".
  case reads
  /// The session measures for itself: it names no renderer.
  case noRenderer
  /// It measures for itself: the collection shares no measurements.
  case notShared
  /// It measures for itself: its contents are private.
  case ownContents
  /// It measures for itself: there are too many combinations of renderer, layout and container.
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
