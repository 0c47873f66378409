// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore
internal import LayoutProtocol
internal import SwiftProtobuf

/// The descriptors of all proto files, by file name and by the symbols that they declare.
struct DescriptorIndex: Sendable {
  /// Full names of the services that servers offer, in alphabetical order.
  let services: [String]
  private let files: [String: (bytes: [UInt8], dependencies: [String])]
  private let fileOfSymbol: [String: String]

  init() {
    var services: [String] = []
    var files: [String: (bytes: [UInt8], dependencies: [String])] = [:]
    var symbols: [String: String] = [:]
    // The descriptors are generated together with this code; if they cannot be read, there is no
    // reflection.
    let set =
      Base64.decode(DescriptorSet.base64).flatMap {
        try? Google_Protobuf_FileDescriptorSet(serializedBytes: $0)
      } ?? Google_Protobuf_FileDescriptorSet()
    for file in set.file {
      guard let bytes: [UInt8] = try? file.serializedBytes() else { continue }
      files[file.name] = (bytes, file.dependency)
      let scope = file.package.isEmpty ? "" : "\(file.package)."
      for service in file.service {
        services.append(scope + service.name)
        symbols[scope + service.name] = file.name
        for method in service.method {
          symbols["\(scope)\(service.name).\(method.name)"] = file.name
        }
      }
      for type in file.enumType { symbols[scope + type.name] = file.name }
      for message in file.messageType {
        Self.add(message, scope: scope, file: file.name, to: &symbols)
      }
    }
    // This service is offered by providers and called by servers.
    let foreign = Wire.LayoutProviderService.descriptor.fullyQualifiedService
    self.services = services.filter { $0 != foreign }.sorted()
    self.files = files
    fileOfSymbol = symbols
  }

  private static func add(
    _ message: Google_Protobuf_DescriptorProto,
    scope: String,
    file: String,
    to symbols: inout [String: String]
  ) {
    let name = scope + message.name
    symbols[name] = file
    for field in message.field { symbols["\(name).\(field.name)"] = file }
    for type in message.enumType { symbols["\(name).\(type.name)"] = file }
    for nested in message.nestedType {
      add(nested, scope: "\(name).", file: file, to: &symbols)
    }
  }

  /// The file and all files that it depends on, itself first; nil = there is no such file.
  func files(named name: String) -> [[UInt8]]? {
    guard files[name] != nil else { return nil }
    var found: [[UInt8]] = []
    var seen: Set<String> = [name]
    var waiting = [name]
    while let next = waiting.popLast() {
      guard let file = files[next] else { continue }
      found.append(file.bytes)
      for dependency in file.dependencies where seen.insert(dependency).inserted {
        waiting.append(dependency)
      }
    }
    return found
  }

  func files(declaring symbol: String) -> [[UInt8]]? {
    fileOfSymbol[symbol].flatMap { files(named: $0) }
  }

  func declares(_ symbol: String) -> Bool { fileOfSymbol[symbol] != nil }
}
