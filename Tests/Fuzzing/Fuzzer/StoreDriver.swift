// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreFuzzTargets
import Synchronization

/// Runs the target of the store, which is asynchronous, for a caller that is not.
enum StoreDriver {
  /// Written once, before the first input.
  private static let target = wait { try await StoreFuzzTarget() }

  /// - Parameter messages: grows by one where the damaged file could be opened as a store.
  /// - Returns: what is wrong; nil when nothing is.
  static func run(_ input: [UInt8], messages: inout Int) -> String? {
    switch target {
    case .failure(let error): return "no store was written: \(error)"
    case .success(let target):
      switch wait({ try await target.run(input) }) {
      case .success(let outcome):
        messages += outcome.isRefused ? 0 : 1
        return nil
      case .failure(let error): return "\(error)"
      }
    }
  }

  private static func wait<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) -> Result<Value, any Error> {
    let box = ResultBox<Value>()
    Task.detached {
      do { box.set(.success(try await body())) } catch { box.set(.failure(error)) }
    }
    return box.wait()
  }
}

/// A result that one thread sets and another waits for.
private final class ResultBox<Value: Sendable>: Sendable {
  private let result = Mutex<Result<Value, any Error>?>(nil)
  private let isThere = DispatchSemaphore(value: 0)

  func set(_ value: Result<Value, any Error>) {
    result.withLock { $0 = value }
    isThere.signal()
  }

  func wait() -> Result<Value, any Error> {
    isThere.wait()
    return result.withLock { $0 } ?? .failure(CancellationError())
  }
}
