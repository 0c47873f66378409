// SPDX-License-Identifier: Apache-2.0

package import SwiftProtobuf

extension FieldReader {
  /// The longest duration that `google.protobuf.Duration` allows, in seconds: about 10,000 years.
  static let maxSeconds: Int64 = 315_576_000_000

  /// Reads a duration that is not negative; zero if it is refused.
  package mutating func duration(
    _ message: Google_Protobuf_Duration,
    _ name: StaticString
  ) -> Duration {
    guard message.seconds >= 0, message.seconds <= FieldReader.maxSeconds, message.nanos >= 0,
      message.nanos < 1_000_000_000
    else {
      reject(
        name,
        "\(message.seconds) s and \(message.nanos) ns found; "
          + "from 0 to 315,576,000,000 s and 0 to 999,999,999 ns are allowed"
      )
      return .zero
    }
    return .seconds(message.seconds) + .nanoseconds(Int64(message.nanos))
  }
}

extension Google_Protobuf_Duration {
  /// The message of a duration, rounded towards zero to nanoseconds and clamped to ±10,000 years.
  package init(_ value: Duration) {
    let (seconds, attoseconds) = value.components
    if seconds.magnitude >= UInt64(FieldReader.maxSeconds) {
      self.init(seconds: seconds < 0 ? -FieldReader.maxSeconds : FieldReader.maxSeconds)
    } else {
      self.init(seconds: seconds, nanos: Int32(truncatingIfNeeded: attoseconds / 1_000_000_000))
    }
  }
}
