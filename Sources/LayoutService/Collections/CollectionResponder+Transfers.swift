// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import CollectionStore
internal import LayoutEngine
internal import LayoutProtocol
internal import LayoutTrust
internal import SwiftProtobuf
internal import Tracing

extension CollectionResponder {
  func transfer(
    _ request: Wire.TransferItemsRequest,
    call: OpenCall
  ) async throws -> Wire.TransferItemsResponse {
    let rules = rules
    let transfer = try await engine.read(isLarge: call.isLarge, for: call.account) {
      try request.decoded(limits: rules.limits)
    }
    // Taking items away needs the right to edit the source.
    let source = try await collection(
      named: request.source.name,
      field: "source.name",
      for: .edit,
      by: call
    )
    let destination = try await collection(
      named: request.destination.name,
      field: "destination.name",
      for: .edit,
      by: call
    )
    try call.access.throwIfDenied()
    let payloads = TransferPayloads(account: call.account, messageBytes: messageBytes)
    let commit: TransferCommit
    do throws(StoreError) {
      commit = try await Spans.run("transfer", ["layout.collection": .string(destination.id)]) {
        () async throws(StoreError) in
        try await source.transfer(
          transfer,
          to: destination,
          applier: engine.applier(isLarge: call.isLarge, for: call.account) {
            call.charge(seconds: $0)
          },
          payload: { try payloads.payload(of: $0) }
        )
      }
    } catch { throw LayoutProblem(error) }
    call.access.audit(.edit, on: source.id, version: commit.sourceVersion)
    call.access.audit(.edit, on: destination.id, version: commit.destinationVersion)
    var response = Wire.TransferItemsResponse()
    response.sourceDataVersion = commit.sourceVersion
    response.destinationDataVersion = commit.destinationVersion
    response.duplicate = commit.isDuplicate
    return response
  }
}
