// SPDX-License-Identifier: Apache-2.0

import CommandFuzzTargets
import Foundation
import FuzzTargets
import ProtocolFuzzTargets
import ServiceFuzzTargets
import StoreFuzzTargets
import Synchronization

/// What libFuzzer drives: one of the fuzz targets, which FUZZ_TARGET in the environment names.
///
/// libFuzzer brings the main function and calls the two functions below.
enum Fuzzer {
  /// Takes an input and adds the messages in it that were understood to a count.
  typealias Target = @Sendable (_ input: [UInt8], _ messages: inout Int) -> String?

  static let targets: [String: Target] = [
    "batches": { BatchTarget.run($0, messages: &$1) },
    "layouts": { LayoutTarget.run($0, messages: &$1) },
    "sessions": { SessionTarget.run($0, messages: &$1) },
    "frames": { FrameTarget.run($0, messages: &$1) },
    "tokens": { ResumeTokenFuzzTarget.run($0, messages: &$1) },
    "csv": { TableFuzzTarget.run($0, format: .csv, messages: &$1) },
    "json": { TableFuzzTarget.run($0, format: .json, messages: &$1) },
    "store": { StoreDriver.run($0, messages: &$1) },
  ]

  static let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
  static let target = targets[name]
  /// Of all inputs so far.
  static let messages = Atomic(0)

  static func fail(_ fault: String) -> Never {
    FileHandle.standardError.write(Data("\(name): \(fault)\n".utf8))
    abort()
  }
}

/// Called once, before any input.
@_cdecl("LLVMFuzzerInitialize")
func initialise(_: UnsafeMutableRawPointer?, _: UnsafeMutableRawPointer?) -> CInt {
  guard Fuzzer.target != nil else {
    let names = Fuzzer.targets.keys.sorted().joined(separator: ", ")
    FileHandle.standardError.write(Data("FUZZ_TARGET must be one of \(names)\n".utf8))
    exit(64)
  }
  atexit {
    let count = Fuzzer.messages.load(ordering: .relaxed)
    FileHandle.standardError.write(Data("stat::messages: \(count)\n".utf8))
  }
  return 0
}

/// Called for each input.
@_cdecl("LLVMFuzzerTestOneInput")
func runInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var messages = 0
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  if let fault = Fuzzer.target?(input, &messages) { Fuzzer.fail(fault) }
  Fuzzer.messages.add(messages, ordering: .relaxed)
  return 0
}
