// SPDX-License-Identifier: Apache-2.0

/// What is to be done after a step of a session's machine, outside the lock.
///
/// All but `next` are effects that the shell performs, in whatever task took the step.
struct SessionAction<Core: ~Copyable & Sendable, EndWaiter: Sendable, RoomWaiter: Sendable>:
  ~Copyable, Sendable
{
  /// What the task that took the step does next.
  enum Next: ~Copyable, Sendable {
    /// Nothing: others see to the session, or it rests.
    case nothing
    /// It starts a task that works on the session, beginning with `resume`.
    case start
    /// It owns the core now. With mail it works that off first; without, what it brought, or was at.
    case work(Core, SessionMail?)
    /// It waits, as it announced, without the core.
    case wait
    /// The session has ended.
    case stop
    /// The session has ended, but is to know what became of its batch first.
    case settle(Core)
  }

  var next = Next.nothing
  /// When an alarm is to go off.
  var alarm: ContinuousClock.Instant?
  /// The reader, which may go on.
  var room: RoomWaiter?
  /// The one who waits for the end, which has come.
  var end: (waiter: EndWaiter, reason: SessionEnd)?
  /// Whether the worker that waits for something is to give up.
  var cancelsWait = false
  /// Whether the stream is not to be read until there is room.
  var isFull = false
}

extension SessionAction: Copyable where Core: Copyable {}
extension SessionAction.Next: Copyable where Core: Copyable {}
