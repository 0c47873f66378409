// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRPCCore
internal import LayoutProtocol
internal import SwiftProtobuf
internal import Testing

@Suite("Generated messages", .timeLimit(.minutes(2)))
struct GeneratedMessagesTests {
  @Test("messages survive the wire, and an optional field at zero is told from an absent one")
  func roundTrip() throws {
    var size = CollectionLayout_V1_Size()
    size.width = 320.25
    size.height = 480
    #expect(
      try CollectionLayout_V1_Size(serializedBytes: size.serializedBytes() as [UInt8]) == size
    )

    var options = CollectionLayout_V1_SessionOptions()
    options.overscanAhead = 0
    let bytes: [UInt8] = try options.serializedBytes()
    let read = try CollectionLayout_V1_SessionOptions(serializedBytes: bytes)
    #expect(read.hasOverscanAhead)
    #expect(!read.hasOverscanBehind)
  }

  @Test(
    "the descriptor set declares every generated service",
    arguments: [
      CollectionLayout_V1_CollectionService.descriptor,
      CollectionLayout_V1_LayoutQueryService.descriptor,
      CollectionLayout_V1_LayoutSessionService.descriptor,
      Grpc_Health_V1_Health.descriptor,
      Grpc_Reflection_V1_ServerReflection.descriptor,
    ]
  )
  func descriptorSet(service: ServiceDescriptor) throws {
    let data = try #require(Data(base64Encoded: DescriptorSet.base64))
    let files = try Google_Protobuf_FileDescriptorSet(serializedBytes: data)
    let names = files.file.flatMap { file in file.service.map { "\(file.package).\($0.name)" } }
    #expect(names.contains(service.fullyQualifiedService))
  }
}
