// SPDX-License-Identifier: Apache-2.0

/// One operation, ready to be run any number of times.
public protocol Trial: AnyObject {
  /// Runs the operation once.
  ///
  /// - Returns: how much came of it: items that are laid out, elements that were found, items that
  ///   the collection has more or less, elements of the frame, bytes.
  func run() throws -> Int

  /// What should come of a number of runs; anything else means that something else was measured.
  func expected(ofRuns runs: Int) -> ClosedRange<Int>
}

extension Trial {
  public func expected(ofRuns runs: Int) -> ClosedRange<Int> { 1 ... .max }

  /// Runs it a few times, which also warms it up, or once where that takes long.
  ///
  /// - Throws: `TrialError` where it did not do what it should.
  public func verify() throws {
    let end = ContinuousClock.now + .milliseconds(20)
    var runs = 0
    var sum = 0
    repeat {
      sum += try run()
      runs += 1
    } while runs < 4 && ContinuousClock.now < end
    guard expected(ofRuns: runs).contains(sum) else {
      throw TrialError(description: "\(Self.self): \(sum) came of \(runs) runs")
    }
  }
}

public struct TrialError: Error, CustomStringConvertible {
  public let description: String
}
