// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
internal import LayoutGeometry

/// How much building a frame may cost.
///
/// Most frames take some microseconds and are built in the session's task. A frame may take long in
/// layouts that look at many items for one rect, such as a line of a million items, and for clients
/// that have thousands of elements. Such frames are built on threads where sessions take turns.
public enum FrameEffort: Sendable {
  /// Each query may take `SessionCosts.frameSteps`, and find `SessionCosts.frameElements`.
  case small
  /// Limited by this work, which counts the steps of all queries.
  case bounded(LayoutWork)
  /// No limit.
  case unlimited

  /// The steps counted so far; 0 if they are not counted.
  var steps: Int { if case .bounded(let work) = self { work.steps } else { 0 } }

  /// The most elements that a frame may have; nil = any number.
  var elementLimit: Int? { if case .small = self { SessionCosts.frameElements } else { nil } }

  /// Empties a buffer and limits it for a query.
  func limit(_ buffer: inout ElementBuffer) {
    switch self {
    case .small: buffer.stepLimit = SessionCosts.frameSteps
    case .bounded(let work):
      buffer.stepLimit = .max
      buffer.work = work
    case .unlimited: buffer.stepLimit = .max
    }
    buffer.removeAll()
  }

  /// The limits for finding single elements.
  ///
  /// - Parameter limit: the most steps if the effort is small.
  func work(limit: Int) -> LayoutWork {
    switch self {
    case .small: LayoutWork(stepLimit: limit)
    case .bounded(let work): work
    case .unlimited: .unlimited
    }
  }
}

/// A frame needs more than the effort that was allowed.
struct FrameTooCostly: Error {}

/// Why a frame was not made.
enum FrameNotMade: Error {
  /// It needs more than the effort that was allowed.
  case tooCostly
  /// A draft has a seam in view.
  case unsettled(in: Rect)
}
