// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore
internal import NIOPosix

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// The token that is sent to a provider, from a file that another program renews.
struct ProviderToken: Sendable {
  /// The most bytes of the file.
  static let byteLimit = 16 << 10

  let path: String

  /// Reads the file, on a thread that may wait.
  ///
  /// - Throws: `RPCError` that names the file.
  func metadata() async throws -> Metadata {
    let bytes = try await NIOThreadPool.singleton.runIfActive { try read() }
    let text = String(decoding: bytes, as: UTF8.self)
    guard let token = text.split(whereSeparator: \.isWhitespace).first,
      token.utf8.allSatisfy({ (0x21 ... 0x7E).contains($0) })
    else { throw fault("holds no token: one line of visible characters is needed") }
    return ["authorization": "Bearer \(token)"]
  }

  private func read() throws -> [UInt8] {
    // Non-blocking, because opening a pipe without a writer would wait.
    let descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw fault("cannot be read") }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 4096)
    while bytes.count <= Self.byteLimit {
      let count = unsafe part.withUnsafeMutableBytes { buffer in
        unsafe systemRead(descriptor, buffer)
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw fault("cannot be read") }
      if count == 0 { return bytes }
      bytes += part.prefix(count)
    }
    throw fault("has more than \(Self.byteLimit) bytes")
  }

  private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    #if canImport(Darwin)
    unsafe Darwin.read(descriptor, buffer.baseAddress, buffer.count)
    #elseif canImport(Musl)
    unsafe Musl.read(descriptor, buffer.baseAddress, buffer.count)
    #else
    unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
    #endif
  }

  private func fault(_ reason: String) -> RPCError {
    RPCError(code: .unavailable, message: "the token file \(path) \(reason)")
  }
}
