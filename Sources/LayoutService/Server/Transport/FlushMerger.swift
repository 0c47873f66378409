// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// Sends what the calls of a connection write in one turn of its event loop with one system call.
///
/// The HTTP/2 handler flushes after each message of each call, and a commit leads to a frame for
/// each viewer, written one right after the other.
final class FlushMerger: ChannelOutboundHandler {
  typealias OutboundIn = ByteBuffer

  /// Whether a flush is due at the end of the turn.
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
    // Runs after the closures that the loop has to execute now, before it looks at its connections
    // again.
    context.eventLoop.assumeIsolated().execute { self.flushNow() }
  }

  /// Pending writes are flushed first.
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
