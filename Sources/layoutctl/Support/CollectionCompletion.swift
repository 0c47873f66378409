// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Dispatch
import Foundation
import LayoutClient
import Synchronization

extension CompletionKind {
  /// The collections that the caller may see, requested from the server on the command line.
  /// Nothing if the server does not answer within a second.
  static let collections = CompletionKind.custom { words, _, prefix in
    CollectionCompletion.wait { await CollectionCompletion.names(words, prefix: prefix) }
  }

  /// The named layouts of the collection that the command line names, in the same way.
  static let namedLayouts = CompletionKind.custom { words, _, prefix in
    CollectionCompletion.wait { await CollectionCompletion.layouts(words, prefix: prefix) }
  }

  /// The contexts of the user's file.
  static let contexts = CompletionKind.custom { _, _, prefix in
    let file = try? ContextFile.read(ProcessInfo.processInfo.environment)
    return (file?.contexts.keys.sorted() ?? []).filter { $0.hasPrefix(prefix) }
  }

  /// The kinds of layouts.
  static let layoutKinds = CompletionKind.list(LayoutArgument.names)
}

enum CollectionCompletion {
  private static let patience = Duration.seconds(1)

  /// The result of another task, for which the parser waits: it completes words before anything
  /// asynchronous has begun.
  private final class Answer: Sendable {
    let names = Mutex<[String]>([])
    let isThere = DispatchSemaphore(value: 0)
  }

  /// Waits for names in callers that are not asynchronous. Only for the parser: it blocks its
  /// thread.
  static func wait(for find: @escaping @Sendable () async -> [String]) -> [String] {
    let answer = Answer()
    Task.detached {
      let found = await find()
      answer.names.withLock { $0 = found }
      answer.isThere.signal()
    }
    answer.isThere.wait()
    return answer.names.withLock { $0 }
  }

  static func names(_ words: [String], prefix: String) async -> [String] {
    await found(words, prefix: prefix) { try await NameSuggestion.collections($0) }
  }

  static func layouts(_ words: [String], prefix: String) async -> [String] {
    await found(words, prefix: prefix) { client in
      let collections = try await NameSuggestion.collections(client)
      let named = words.lazy.map { CollectionArgument.identifier(of: $0) }
      guard let collection = named.first(where: { collections.contains($0) }) else { return [] }
      return try await client.listLayouts(of: CollectionArgument.name(of: collection))
        .map { LayoutNameArgument.identifier(of: $0.name) }
    }
  }

  private static func found(
    _ words: [String],
    prefix: String,
    _ find: @escaping @Sendable (LayoutClient) async throws -> [String]
  ) async -> [String] {
    guard let connection = try? ConnectionOptions.parse(options(in: words)) else { return [] }
    let names = await withTaskGroup(of: [String].self) { group in
      group.addTask { (try? await connection.connect { try await find($0) }) ?? [] }
      group.addTask {
        try? await Task.sleep(for: patience)
        return []
      }
      let first = await group.next() ?? []
      group.cancelAll()
      return first
    }
    return names.filter { $0.hasPrefix(prefix) }
  }

  /// The options of the connection that have a value.
  static let valued = [
    "--context", "--server", "--admin", "--tls-ca", "--tls-certificate", "--tls-key",
    "--token-file",
  ]

  /// The words of a command line that choose the server and the connection to it.
  static func options(in words: [String]) -> [String] {
    let valued = valued.filter { $0 != "--admin" }
    var options: [String] = []
    for (index, word) in words.enumerated() {
      if word == "--tls" || valued.contains(where: { word.hasPrefix($0 + "=") }) {
        options.append(word)
      } else if valued.contains(word), index + 1 < words.count {
        options += [word, words[index + 1]]
      }
    }
    return options
  }
}
