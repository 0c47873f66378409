// SPDX-License-Identifier: Apache-2.0

internal import DequeModule

/// Which jobs wait to be written, and which of them go into the next transaction together: the rules
/// of `CommitQueue` without its threads.
///
/// Every job that is added is handed out exactly once: by `takeGroup` or by `stop`.
struct CommitGroups<Job> {
  enum Admission: Hashable {
    /// Nobody is writing: the caller starts a writer, which takes groups until there are none.
    case startsWriter
    case waits
    /// The queue was stopped; the job is not kept.
    case refused
  }

  private let countLimit: Int
  private let byteLimit: Int
  private var waiting: Deque<(job: Job, bytes: Int)> = []
  private(set) var isWriting = false
  private(set) var isStopped = false

  /// - Parameters:
  ///   - countLimit: of jobs in a group; more would make the first wait for the last.
  ///   - byteLimit: of a group of more than one job.
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

  /// The jobs of the next transaction, in the order in which they came. Empty: the writer ends.
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
  /// - Returns: those that waited.
  mutating func stop() -> [Job] {
    isStopped = true
    let jobs = waiting.map(\.job)
    waiting.removeAll()
    return jobs
  }
}
