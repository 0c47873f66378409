// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import LayoutService

@Suite("The clock of sessions", .timeLimit(.minutes(1)))
struct SessionClockTests {
  @Test("time goes on with the machine's while the process runs")
  func running() {
    let time = ManualTime()
    let clock = time.clock()
    let start = clock.now
    for _ in 0 ..< 10 {
      clock.tick()
      time.advance(by: .seconds(1))
    }
    #expect(clock.now - start == .seconds(10))
  }

  @Test("what passed while the process was stopped does not count, but for a little")
  func stopped() {
    let time = ManualTime()
    let clock = time.clock()
    clock.tick()
    let start = clock.now
    time.advance(by: .seconds(600))
    // Before the tick that tells that it runs again, and after.
    #expect(clock.now - start == .seconds(3))
    clock.tick()
    #expect(clock.now - start == .seconds(3))
    time.advance(by: .seconds(2))
    #expect(clock.now - start == .seconds(5))
    clock.tick()
    time.advance(by: .seconds(600))
    clock.tick()
    time.advance(by: .seconds(1))
    #expect(clock.now - start == .seconds(9))
  }

  @Test("alarms ring at their time, and let their targets go")
  func alarms() {
    final class Target: AlarmTarget {
      let rung = Mutex<[ContinuousClock.Instant]>([])
      func ring(_ deadline: ContinuousClock.Instant) { rung.withLock { $0.append(deadline) } }
    }
    let time = ManualTime()
    let clock = time.clock()
    let target = Target()
    let start = clock.now
    clock.arm(start + .seconds(2), for: target)
    clock.arm(start + .seconds(1), for: target)
    clock.arm(start + .seconds(1), for: Target())
    time.advance(by: .milliseconds(1500))
    #expect(target.rung.withLock { $0 } == [start + .seconds(1)])
    time.advance(by: .seconds(1))
    #expect(target.rung.withLock { $0 } == [start + .seconds(1), start + .seconds(2)])
  }
}

@Suite("What a stream may send", .timeLimit(.minutes(1)))
struct EventRateTests {
  @Test("a burst, then a steady rate")
  func rate() {
    let start = ContinuousClock.now
    var rate = TokenBucket(perSecond: 8, burst: 3)
    for _ in 0 ..< 3 { #expect(rate.admit(at: start) == nil) }
    // What is refused does not count.
    for _ in 0 ..< 3 { #expect(rate.admit(at: start) == .milliseconds(125)) }
    #expect(rate.admit(at: start + .microseconds(62_500)) == .microseconds(62_500))
    #expect(rate.admit(at: start + .milliseconds(125)) == nil)
    // No more than a burst gathers.
    for _ in 0 ..< 3 { #expect(rate.admit(at: start + .seconds(100)) == nil) }
    #expect(rate.admit(at: start + .seconds(100)) == .milliseconds(125))
  }

  @Test("bytes are under way until a frame after them is acknowledged")
  func bytesInFlight() {
    var flight = BytesInFlight()
    flight.add(100)
    flight.sent(frame: 1)
    flight.add(30)
    flight.add(20)
    flight.sent(frame: 2)
    flight.add(7)
    #expect(flight.count == 157)
    flight.received(frame: 1)
    #expect(flight.count == 57)
    flight.received(frame: 9)
    #expect(flight.count == 7)
    flight.received(frame: 1)
    #expect(flight.count == 7)
  }
}
