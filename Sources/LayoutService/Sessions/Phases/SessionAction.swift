// SPDX-License-Identifier: Apache-2.0

/// What has to be done after a step of a session's machine, outside the lock.
///
/// All but `next` are effects, which the shell performs in whatever task took the step.
struct SessionAction<Core: ~Copyable & Sendable, EndWaiter: Sendable, RoomWaiter: Sendable>:
  ~Copyable, Sendable
{
  /// What the task that took the step does next.
  enum Next: ~Copyable, Sendable {
    /// Nothing: somebody else works on the session, or it rests.
    case nothing
    /// Start a task that works on the session, beginning with `resume`.
    case start
    /// The task owns the core now. It processes the mail, if there is any, and then what it was
    /// about to do.
    case work(Core, SessionMail?)
    /// Wait as announced, without the core.
    case wait
    /// The session has ended.
    case stop
    /// The session has ended, but the core needs the outcome of its batch first.
    case settle(Core)
  }

  var next = Next.nothing
  /// When an alarm has to go off.
  var alarm: ContinuousClock.Instant?
  /// The waiting reader, which may read on.
  var room: RoomWaiter?
  /// Who waits for the end, and why the session has ended.
  var end: (waiter: EndWaiter, reason: SessionEnd)?
  /// Whether to cancel the worker's wait.
  var cancelsWait = false
  /// Whether the reader must wait for room before it reads on.
  var isFull = false
}

extension SessionAction: Copyable where Core: Copyable {}
extension SessionAction.Next: Copyable where Core: Copyable {}
