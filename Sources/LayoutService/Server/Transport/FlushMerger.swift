// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// Sends by one system call what the calls of a connection write in one turn of its event loop.
///
/// The HTTP/2 handler flushes after each message of each call. A commit is a frame for each viewer, and
/// these are written one right after the other.
final class FlushMerger: ChannelOutboundHandler {
  typealias OutboundIn = ByteBuffer

  /// Whether something is to be flushed at the end of the turn.
  private var isPending = false
  private var context: ChannelHandlerContext?

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) {
    flushNow()
    self.context = nil
  }

  func flush(context: ChannelHandlerContext) {
    guard !isPending else { return }
    isPending = true
    // Runs after what the loop has to execute now, and before it looks at its connections again.
    context.eventLoop.assumeIsolated().execute { self.flushNow() }
  }

  /// What was written before goes out first.
  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    flushNow()
    context.close(mode: mode, promise: promise)
  }

  private func flushNow() {
    guard isPending else { return }
    isPending = false
    context?.flush()
  }
}
