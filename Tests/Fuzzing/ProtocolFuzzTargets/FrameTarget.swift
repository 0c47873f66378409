// SPDX-License-Identifier: Apache-2.0

import LayoutProtocol
import SwiftProtobuf

/// Frames from any bytes, applied to a mirror one after the other.
package enum FrameTarget {
  /// Runs what the bytes say: records of encoded frames.
  ///
  /// - Returns: what is wrong; nil when nothing is. A trap is wrong too.
  package static func run(_ bytes: [UInt8]) -> String? {
    var messages = 0
    return run(bytes, messages: &messages)
  }

  /// - Parameter messages: grows by one for each frame that could be decoded.
  package static func run(_ bytes: [UInt8], messages: inout Int) -> String? {
    var mirror = ElementMirror(unitsPerPoint: bytes.first.map { $0 & 1 == 0 ? 64 : 192 } ?? 64)
    for record in Records.split(bytes).prefix(64) {
      guard let frame = try? Wire.LayoutFrame(serializedBytes: Array(record)) else { continue }
      messages += 1
      let before = mirror.frameSequence
      do {
        let change = try mirror.apply(frame)
        guard let change else { continue }
        if mirror.liveCount != Int(frame.liveCount) { return "\(mirror.liveCount) elements live" }
        if change.frame != mirror.frameSequence { return "frame \(change.frame) was applied" }
        if frame.hasStateChecksum, frame.stateChecksum != mirror.stateChecksum {
          return "a wrong checksum was not noticed"
        }
      } catch {
        if mirror.frameSequence != before { return "a refused frame was taken: \(error)" }
      }
    }
    return nil
  }
}
