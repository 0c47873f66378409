// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore

extension StreamingServerResponse {
  /// Produces the messages of a response, and returns the metadata that end it.
  typealias Production = @Sendable () async throws -> Metadata

  /// A response whose end is noted exactly once: when the handler fails, or when the producer of
  /// its messages has ended.
  ///
  /// - Parameters:
  ///   - note: called with the error of the call; nil = it succeeded.
  ///   - within: runs the producer of the messages.
  static func noting(
    _ note: @escaping @Sendable ((any Error)?) -> Void,
    within: @escaping @Sendable (Production) async throws -> Metadata = { try await $0() },
    _ handle: () async throws -> Self
  ) async throws -> Self {
    do {
      let response = try await handle()
      switch response.accepted {
      case .failure(let error):
        note(error)
        return response
      case .success(let contents):
        return StreamingServerResponse(metadata: contents.metadata) { writer in
          do {
            let trailing = try await within { try await contents.producer(writer) }
            note(nil)
            return trailing
          } catch {
            note(error)
            throw error
          }
        }
      }
    } catch {
      note(error)
      throw error
    }
  }
}
