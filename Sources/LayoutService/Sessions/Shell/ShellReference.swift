// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Refers to a session's shell until its stream has left it.
///
/// It takes the place of a weak reference, which would make the shell count its references in a
/// table of its own: one more place in memory to fetch whenever a shell is used, and a commit uses
/// those of all viewers.
final class ShellReference: Sendable, AlarmTarget, OperatedSession {
  private let shell = Mutex<SessionShell?>(nil)

  /// nil = the stream has left the session.
  var value: SessionShell? { shell.withLock { $0 } }

  func begin(_ shell: SessionShell) { self.shell.withLock { $0 = shell } }

  func end() {
    // Released after the lock.
    var old: SessionShell?
    shell.withLock { swap(&old, &$0) }
  }

  func ring(_ deadline: ContinuousClock.Instant) { value?.ring(deadline) }

  var figures: SessionFigures? { value?.figures }

  func end(byOperatorFor reason: String) -> Bool {
    guard let shell = value else { return false }
    shell.end(byOperatorFor: reason)
    return true
  }
}
