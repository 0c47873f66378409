// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import LayoutProtocol
import LayoutSession

/// Steps of scrolling, to and fro about the middle.
final class ScrollTrial: Trial {
  private var session: ScrollingSession
  private let steps: Int
  private var next = 0

  init(_ session: ScrollingSession) {
    self.session = session
    steps = max(1, session.steps(atMost: 256))
  }

  func run() -> Int {
    next += 1
    // A triangle wave.
    let phase = next % (2 * steps)
    session.move(toStep: phase < steps ? phase : 2 * steps - phase)
    guard let frame = session.frame else { return 0 }
    return frame.upserts.count + frame.removedSlots.count
  }
}

/// An insertion in view and a deletion, by turns.
final class EditedFrameTrial: Trial {
  private var session: ScrollingSession
  private let edits: (insert: UpdateBatch, delete: UpdateBatch)
  private var isInserted = false
  private var version = UInt64.zero

  init(_ session: ScrollingSession, _ edits: (insert: UpdateBatch, delete: UpdateBatch)) {
    self.session = session
    self.edits = edits
  }

  /// Data versions that the client has seen go by.
  func run() -> Int {
    session.edit(isInserted ? edits.delete : edits.insert)
    isInserted.toggle()
    defer { version = session.frame?.dataVersion ?? version }
    return Int((session.frame?.dataVersion ?? version) - version)
  }

  func expected(ofRuns runs: Int) -> ClosedRange<Int> { runs ... runs }
}

/// Frames of a session, one after the other, encoded once more.
final class EncodingTrial: Trial {
  private let frames: [SessionFrame]
  private var encoder: FrameEncoder
  private var next = 0

  /// - Parameter edits: where the content does not scroll.
  /// - Throws: `TrialError` where there are no elements to encode.
  init(
    _ session: ScrollingSession,
    edits: (insert: UpdateBatch, delete: UpdateBatch)?
  ) throws {
    var session = session
    var frames: [SessionFrame] = []
    let steps = max(1, session.steps(atMost: 256))
    for turn in 0 ..< 32 {
      if let edits {
        session.edit(turn % 2 == 0 ? edits.insert : edits.delete)
      } else {
        // Half a viewport on, and back where the content ends.
        session.move(toStep: turn * 6 % steps)
      }
      if let frame = session.takeFrame(), !frame.upserts.isEmpty { frames.append(frame) }
    }
    guard !frames.isEmpty else { throw TrialError(description: "there is nothing to encode") }
    self.frames = frames
    encoder = session.encoder
  }

  func run() -> Int {
    let frame = frames[next % frames.count]
    next += 1
    return ((try? encoder.encode(frame)) ?? []).reduce(0) { $0 + $1.bytes.count }
  }

  /// No element travels in less than a byte.
  func expected(ofRuns runs: Int) -> ClosedRange<Int> {
    (0 ..< runs).reduce(0) { $0 + frames[$1 % frames.count].upserts.count } ... .max
  }
}
