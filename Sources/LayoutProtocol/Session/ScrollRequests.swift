// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import LayoutGeometry
package import LayoutSession

extension FieldReader {
  /// Reads a query about where to scroll.
  ///
  /// - Returns: nil = the message asks nothing, and was refused.
  package mutating func scrollRequest(_ message: Wire.ScrollTargetRequest) -> ScrollRequest? {
    switch message.request {
    case .release(let release): within("release") { $0.scrollRequest(release) }
    case .element(let element): within("element") { $0.scrollRequest(element) }
    case .neighbor(let neighbor): within("neighbor") { $0.neighborRequest(neighbor) }
    case nil: refuse("request", "nothing found; release, element or neighbor is needed")
    }
  }

  /// Reads a query about where a step leads.
  ///
  /// - Returns: nil = something was refused.
  package mutating func neighborRequest(_ message: Wire.NeighborRequest) -> ScrollRequest? {
    let position = position(message.position)
    guard let step = step(message.step) else { return nil }
    switch message.start {
    case .key(let key):
      return .neighbor(of: .element(elementKey(key, "key")), step: step, at: position)
    case .itemKey(let key):
      let key = text(key, "item_key", maxBytes: FieldReader.maxKeyBytes)
      return .neighbor(of: .item(key: key), step: step, at: position)
    case .point(let point):
      return .neighbor(of: .point(self.point(point, "point")), step: step, at: position)
    case nil where step == .first || step == .last:
      return .neighbor(of: .nowhere, step: step, at: position)
    case nil:
      return refuse("start", "nothing found; key, item_key or point is needed for this step")
    }
  }

  private mutating func step(_ step: Wire.NeighborStep) -> NeighborStep? {
    switch step {
    case .up: .up
    case .down: .down
    case .left: .left
    case .right: .right
    case .next: .next
    case .previous: .previous
    case .pageUp: .pageUp
    case .pageDown: .pageDown
    case .first: .first
    case .last: .last
    case .unspecified, .UNRECOGNIZED:
      refuse("step", "\(step.rawValue) found; 1 (up) to 10 (last) are allowed")
    }
  }

  private mutating func position(_ position: Wire.ScrollPosition) -> ScrollPosition {
    choice(position, "position") { position -> ScrollPosition? in
      switch position {
      case .unspecified, .nearest: .nearest
      case .start: .start
      case .center: .center
      case .end: .end
      case .UNRECOGNIZED: nil
      }
    } ?? .nearest
  }

  private mutating func scrollRequest(_ message: Wire.ScrollRelease) -> ScrollRequest {
    let deceleration = choice(message.deceleration, "deceleration") { rate -> DecelerationRate? in
      switch rate {
      case .unspecified, .normal: .normal
      case .fast: .fast
      case .UNRECOGNIZED: nil
      }
    }
    let proposed = point(message.proposedOffset, "proposed_offset")
    // Without any of the three, the query has the meaning that it has from old clients: where does
    // (0, 0) rest?
    let isProjected =
      !message.hasProposedOffset && (message.hasVelocity || message.deceleration != .unspecified)
    return .release(
      proposedOffset: isProjected ? nil : proposed,
      velocity: point(message.velocity, "velocity"),
      section: message.hasSection ? Int(message.section) : nil,
      deceleration: deceleration ?? .normal
    )
  }

  /// Reads which element to scroll to.
  ///
  /// - Returns: nil = the message names no element, and was refused.
  mutating func scrollRequest(_ message: Wire.ScrollToElement) -> ScrollRequest? {
    let position = position(message.position)
    switch message.element {
    case .key(let key): return .element(elementKey(key, "key"), at: position)
    case .itemKey(let key):
      let key = text(key, "item_key", maxBytes: FieldReader.maxKeyBytes)
      return .item(key: key, at: position, reveals: message.reveal)
    case nil: return refuse("element", "nothing found; key or item_key is needed")
    }
  }
}
