// SPDX-License-Identifier: Apache-2.0

/// The groups of a section, with the groups from which their shared lengths were found.
struct UniformStrips: Sendable {
  /// Groups that share the lengths known so far.
  struct Stage: Sendable {
    let lengths: UniformLengths
    let strip: GroupStrip
  }

  /// One for each step in which more of the shared lengths were found; empty if nothing was
  /// measured or groups share no lengths.
  let stages: [Stage]
  /// The groups with all lengths that they share.
  let last: Stage

  var strip: GroupStrip { last.strip }

  /// The stage at which these lengths were known.
  func stage(with lengths: UniformLengths) -> Stage? {
    stages.isEmpty ? last : stages.first { $0.lengths == lengths }
  }

  /// The memory that they take, in bytes: an estimate.
  ///
  /// - Parameter shared: a pattern that the section's template counts already.
  func byteCount(sharing shared: GroupPattern?) -> Int {
    stages.reduce(last.strip.byteCount(sharing: shared)) {
      $0 + $1.strip.byteCount(sharing: shared)
    }
  }
}
