// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore
internal import LayoutProtocol
internal import SwiftProtobuf

/// Answers gRPC's standard reflection, so that tools need no proto files.
struct ReflectionResponder: Sendable {
  let index: DescriptorIndex

  /// Answers requests one by one. Each is charged to its client, since a few bytes may ask for all
  /// descriptors.
  func respond(
    _ requests: RPCAsyncSequence<RequestBytes, any Error>,
    to writer: TimedWriter<Grpc_Reflection_V1_ServerReflectionResponse>,
    codec: MessageCodec,
    call: OpenCall
  ) async throws {
    var reader = TimedReader(requests, call)
    while let bytes = try await reader.next() {
      call.charge(Self.cost)
      try await call.waitForBudget()
      try await writer.write(response(to: codec.decode(bytes, for: call)))
    }
  }

  /// The cost of an answer, in the units of `OpenCall.charge`.
  private static let cost = 4.0

  func response(
    to request: Grpc_Reflection_V1_ServerReflectionRequest
  ) -> Grpc_Reflection_V1_ServerReflectionResponse {
    var response = Grpc_Reflection_V1_ServerReflectionResponse()
    response.validHost = request.host
    response.originalRequest = request
    switch request.messageRequest {
    case .fileByFilename(let name):
      answer(index.files(named: name), "There is no file \(name.quotedAsFound).", &response)
    case .fileContainingSymbol(let symbol):
      answer(
        index.files(declaring: symbol),
        "Nothing is called \(symbol.quotedAsFound).",
        &response
      )
    case .fileContainingExtension:
      fail(.notFound, "There are no extensions.", &response)
    case .allExtensionNumbersOfType(let type):
      if index.declares(type) {
        response.allExtensionNumbersResponse.baseTypeName = type
      } else {
        fail(.notFound, "Nothing is called \(type.quotedAsFound).", &response)
      }
    case .listServices:
      response.listServicesResponse.service = index.services.map { name in
        var service = Grpc_Reflection_V1_ServiceResponse()
        service.name = name
        return service
      }
    case nil:
      fail(.invalidArgument, "The request asks for nothing.", &response)
    }
    return response
  }

  private func answer(
    _ files: [[UInt8]]?,
    _ missing: String,
    _ response: inout Grpc_Reflection_V1_ServerReflectionResponse
  ) {
    guard let files else { return fail(.notFound, missing, &response) }
    response.fileDescriptorResponse.fileDescriptorProto = files.map { .init($0) }
  }

  private func fail(
    _ code: Status.Code,
    _ message: String,
    _ response: inout Grpc_Reflection_V1_ServerReflectionResponse
  ) {
    response.errorResponse.errorCode = Int32(truncatingIfNeeded: code.rawValue)
    response.errorResponse.errorMessage = message
  }
}
