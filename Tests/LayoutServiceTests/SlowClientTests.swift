// SPDX-License-Identifier: Apache-2.0

import LayoutProtocol
import LayoutService
import Testing

@Suite("Slow clients", .serialized, .timeLimit(.minutes(2)))
struct SlowClientTests {
  @Test("a client that does not read is cut off and holds up nobody")
  func notReading() async throws {
    var configuration = ServiceConfiguration.patient
    configuration.timing.write = .milliseconds(300)
    configuration.limits.eventsPerSecond = 100_000
    configuration.limits.eventBurst = 1_000_000
    try await withServer(configuration, window: 65_535) { clients in
      try await clients.createCollection(items: 1000)
      try await clients.withSession { probe in
        _ = try await probe.open {
          $0.collection = "collections/a"
          $0.capabilities.encodings = [.messages]
        }
        // Every answer fills the window a little more.
        for seq in 2 ... 20_000 {
          probe.send {
            $0.eventSeq = UInt64(seq)
            $0.layout.layout = .init()
          }
        }
        try await clients.withSession { other in
          _ = try await other.open()
          _ = try await other.frame()
        }
        await clients.sessionsEnd()
      }
    }
  }

  @Test("a client that acknowledges nothing is told, and later cut off, when the operator chooses")
  func notAcknowledging() async throws {
    var configuration = ServiceConfiguration.patient
    configuration.timing.slowNotice = .milliseconds(50)
    // So late that even a busy machine tells it in between.
    configuration.timing.slowEnd = .seconds(2)
    try await withServer(configuration) { clients in
      try await clients.createCollection()
      let found = await problem {
        try await clients.withSession { probe in
          _ = try await probe.open()
          let notice = try await probe.next { response -> Wire.Notice? in
            if case .notice(let notice) = response.message { notice } else { nil }
          }
          #expect(notice.type == .slowClient)
          while try await probe.next() != nil {}
        }
      }
      #expect(found?.reason == .slowClient)
      #expect(found?.message == "No frame was acknowledged for 2.0 seconds.")
    }
  }
}
