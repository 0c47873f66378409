// SPDX-License-Identifier: Apache-2.0

internal import DequeModule

/// The state machine behind `CommitQueue`, free of threads: which jobs are pending, and which of
/// them are written together in the next transaction.
///
/// Each job that is added is returned exactly once: by `takeGroup` or by `stop`.
struct CommitGroups<Job> {
  enum Admission: Hashable {
    /// No writer is running. The caller starts one, which takes groups until there are none left.
    case startsWriter
    /// A writer is running and will take the job.
    case waits
    /// The queue has been stopped; the job is not kept.
    case refused
  }

  private let countLimit: Int
  private let byteLimit: Int
  private var waiting: Deque<(job: Job, bytes: Int)> = []
  private(set) var isWriting = false
  private(set) var isStopped = false

  /// - Parameters:
  ///   - countLimit: the most jobs of a group. All jobs of a group wait until the last is written.
  ///   - byteLimit: the most bytes of a group; a single job may exceed it.
  init(countLimit: Int = 64, byteLimit: Int = 8 << 20) {
    self.countLimit = countLimit
    self.byteLimit = byteLimit
  }

  var waitingCount: Int { waiting.count }

  mutating func add(_ job: Job, bytes: Int) -> Admission {
    if isStopped { return .refused }
    waiting.append((job, bytes))
    if isWriting { return .waits }
    isWriting = true
    return .startsWriter
  }

  /// Takes the jobs of the next transaction, in order of arrival. If there are none, the writer
  /// ends.
  mutating func takeGroup() -> [Job] {
    var group: [Job] = []
    var bytes = 0
    while group.count < countLimit, let first = waiting.first {
      bytes = bytes.addingReportingOverflow(first.bytes).partialValue
      if !group.isEmpty && !(0 ... byteLimit ~= bytes) { break }
      group.append(first.job)
      waiting.removeFirst()
    }
    if group.isEmpty { isWriting = false }
    return group
  }

  /// Refuses all jobs from now on.
  ///
  /// - Returns: the pending jobs, which will not be written.
  mutating func stop() -> [Job] {
    isStopped = true
    let jobs = waiting.map(\.job)
    waiting.removeAll()
    return jobs
  }
}
