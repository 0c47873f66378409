// SPDX-License-Identifier: Apache-2.0

internal import LayoutSession

/// The kinds of session events. Raw values are indices.
enum SessionEventKind: Int, CaseIterable, Hashable, Sendable {
  case viewport, update, layout, namedLayout, measurements, options, resync, close, scrollTarget
  case movement, transition, outline, table, invalidation, credentials, sync, unsupported
  /// The event could not be read, or exceeded the rate.
  case unread

  /// The value of the metrics' label.
  var name: String {
    switch self {
    case .namedLayout: "named_layout"
    case .scrollTarget: "scroll_target"
    default: "\(self)"
    }
  }

  init(_ event: SessionInput.Event) {
    switch event {
    case .event(let event, _): self.init(event)
    case .renewed: self = .credentials
    case .refused: self = .unread
    }
  }

  private init(_ event: SessionEvent) {
    switch event {
    case .viewport: self = .viewport
    case .update: self = .update
    case .layout: self = .layout
    case .namedLayout: self = .namedLayout
    case .measurements: self = .measurements
    case .options: self = .options
    case .resync: self = .resync
    case .close: self = .close
    case .scrollTarget: self = .scrollTarget
    case .movement: self = .movement
    case .transition: self = .transition
    case .outline: self = .outline
    case .table: self = .table
    case .invalidation: self = .invalidation
    case .sync: self = .sync
    case .unsupported: self = .unsupported
    }
  }
}
