// SPDX-License-Identifier: Apache-2.0

import GRPCCore
import LayoutProtocol
import SwiftProtobuf
import Testing

@testable import LayoutService

@Suite("Rights to measure for others", .timeLimit(.minutes(2)))
struct MeasuringRightsTests {
  @Test("who has the role measure gives sizes to all, who only views takes them")
  func roles() async throws {
    var options = SecuredServer.Options()
    options.policy = SecuredServer.policy(#""view", "measure", "edit", "admin""#)
    try await SecuredServer.with(options) { server in
      try await server.connect { client in
        _ = try await client.collections.createCollection(
          .with {
            $0.collectionID = "own"
            $0.collection.sharedMeasurements = .shared
            $0.collection.defaultLayout.list = .with {
              $0.rowHeight = 10
              $0.selfSizing = true
            }
            $0.contents.sections = [.with { $0.blocks = [.with { $0.count = 100 }] }]
          },
          metadata: .bearer("root-token")
        )
        for (role, state, height) in [
          ("view", Wire.MeasurementSharingState.reads, 1000.0), ("measure", .contributes, 1030),
          ("edit", .contributes, 1030), ("view", .reads, 1030),
        ] {
          try await client.stream(token: "\(role)-token") { probe in
            let opened = try await probe.open {
              $0.collection = "collections/own"
              $0.renderer = "app"
            }
            #expect(opened.measurements == state)
            // For itself, the viewer has its size in any case.
            let result = try await probe.result(of: 2) { request in
              request.measurements.observedFrameSeq = 1
              request.measurements.slots = [0]
              request.measurements.sizes = [
                .with {
                  $0.width = 100
                  $0.height = 40
                }
              ]
            }
            #expect(!result.hasProblem)
          }
          // The next one sees what was given to all.
          try await client.stream(token: "view-token") { probe in
            probe.send { request in
              request.eventSeq = 1
              request.open.collection = "collections/own"
              request.open.renderer = "app"
              request.open.viewport.size.width = 100
              request.open.viewport.size.height = 100
            }
            let size = try await probe.frame().contentSize
            #expect(size.height == height)
          }
        }
      }
    }
  }
}
