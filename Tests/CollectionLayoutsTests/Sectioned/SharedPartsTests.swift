// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import CollectionLayouts

@Suite("Parts that two threads share", .timeLimit(.minutes(1)))
struct SharedPartsTests {
  @Test("of a part that both threads do, only the outcome that is used is kept")
  func race() {
    let parts = SharedParts<Int>(count: 3)
    #expect(parts.takeFirst() == 0)
    guard case .taken = parts.take(0) else { return #expect(Bool(false), "nobody does the part") }
    #expect(parts.win(0))
    #expect(!parts.finish(0, 7))
    #expect(!parts.isDone(0))

    #expect(parts.takeFirst() == 1)
    guard case .taken = parts.take(1) else { return #expect(Bool(false), "nobody does the part") }
    #expect(parts.finish(1, 8))
    #expect(!parts.win(1))
    guard case .done(8) = parts.take(1) else { return #expect(Bool(false), "not the outcome") }
  }

  @Test("the bytes of an outcome that is dropped do not count, its steps do")
  func bytes() {
    let work = LayoutWork(byteLimit: 1000)
    let part = work.part { true }
    part.keep(bytes: 700)
    part.proceed(50)
    work.add(part, isKept: false)
    work.add(part, isKept: true)
    #expect(work.keptBytes == 700)
    #expect(work.steps == 100)
    #expect(!work.isStopped)
    part.keep(bytes: 700)
    work.add(part, isKept: false)
    #expect(work.stop == .tooManyBytes(limit: 1000))
  }
}
