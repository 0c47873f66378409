// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Dispatch
import LayoutClient
import Synchronization

extension CompletionKind {
  /// The collections that the caller may see, asked of the server that the command line names. Nothing if it does
  /// not answer within a second.
  static let collections = CompletionKind.custom { words, _, prefix in
    CollectionCompletion.waitForNames(words, prefix: prefix)
  }
}

enum CollectionCompletion {
  private static let patience = Duration.seconds(1)

  /// What another task finds while the parser waits: it completes before anything asynchronous has begun.
  private final class Answer: Sendable {
    let names = Mutex<[String]>([])
    let isThere = DispatchSemaphore(value: 0)
  }

  /// The same for callers that are not asynchronous. Only for the parser: it blocks its thread.
  static func waitForNames(_ words: [String], prefix: String) -> [String] {
    let answer = Answer()
    Task.detached {
      let found = await names(words, prefix: prefix)
      answer.names.withLock { $0 = found }
      answer.isThere.signal()
    }
    answer.isThere.wait()
    return answer.names.withLock { $0 }
  }

  static func names(_ words: [String], prefix: String) async -> [String] {
    guard let connection = try? ConnectionOptions.parse(options(in: words)) else { return [] }
    let names = await withTaskGroup(of: [String].self) { group in
      group.addTask {
        (try? await connection.connect { try await NameSuggestion.collections($0) }) ?? []
      }
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

  /// Those words of a command line that say which server is meant, and how it is reached.
  static func options(in words: [String]) -> [String] {
    let valued = [
      "--context", "--server", "--tls-ca", "--tls-certificate", "--tls-key", "--token-file",
    ]
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
