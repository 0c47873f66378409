// SPDX-License-Identifier: Apache-2.0

package import SwiftProtobuf

extension FieldReader {
  /// The longest duration that protobuf knows, in seconds: 10,000 years.
  static let maxSeconds: Int64 = 315_576_000_000

  /// A duration that is not negative.
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
  /// Rounded towards zero to nanoseconds; clamped to what protobuf knows.
  package init(_ value: Duration) {
    let (seconds, attoseconds) = value.components
    if seconds.magnitude >= UInt64(FieldReader.maxSeconds) {
      self.init(seconds: seconds < 0 ? -FieldReader.maxSeconds : FieldReader.maxSeconds)
    } else {
      self.init(seconds: seconds, nanos: Int32(truncatingIfNeeded: attoseconds / 1_000_000_000))
    }
  }
}
