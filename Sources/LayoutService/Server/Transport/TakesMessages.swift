// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// What tells how much of the DATA that the HTTP/2 handler was given a call has got.
protocol ReadsData: AnyObject {
  /// The bytes of DATA that the call got from the HTTP/2 handler.
  var readBytes: Int { get }
  /// Ends the call because too many bytes wait.
  ///
  /// - Parameter limit: the most that may wait.
  func refuseUnfinished(limit: Int)
}

/// A call that takes whole messages past the HTTP/2 handler, on its event loop.
protocol TakesMessages: ReadsData {
  /// Takes one whole message, with its prefix.
  ///
  /// - Returns: false = it has to come from the HTTP/2 handler.
  func take(_ data: ByteBuffer) -> Bool
}
