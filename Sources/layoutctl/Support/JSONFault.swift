// SPDX-License-Identifier: Apache-2.0

import Foundation
import SwiftProtobuf

/// What is wrong with JSON, in words.
enum JSONFault {
  /// Describes why a message could not be read from JSON.
  static func text(of error: any Error, in json: [UInt8]) -> String {
    // Foundation says where a text is not JSON at all, which the messages' reader does not.
    if let text = syntaxFault(in: Data(json)) { return text }
    return switch error as? JSONDecodingError {
    case .numberRange: "a number is out of its range"
    case .malformedNumber, .leadingZero: "a value is not the number that is needed"
    case .malformedString, .invalidUTF8: "a value is not the text that is needed"
    case .malformedBool: "a value is neither true nor false"
    case .malformedMap, .unquotedMapKey:
      "a member comes twice, or a value is not the object that is needed"
    case .unrecognizedEnumValue: "a name is not one of those that are allowed in its place"
    case .illegalNull: "null is not allowed in its place"
    case .malformedDuration: "a value is not a duration such as \"1.5s\""
    case .malformedTimestamp: "a value is not a time such as \"2026-01-31T12:00:00Z\""
    case .conflictingOneOf: "an object has two members that exclude each other"
    case .messageDepthLimit: "objects and lists are nested too deeply"
    case .failure: "a value is of another kind than is needed, or a member comes twice"
    case let known?: "\(known)"
    case nil: "\(error)"
    }
  }

  /// Where a text is not JSON; nil = it is.
  static func syntaxFault(in json: Data) -> String? {
    do { _ = try JSONSerialization.jsonObject(with: json, options: .fragmentsAllowed) } catch {
      let detail = (error as NSError).userInfo["NSDebugDescription"]
      return "\(detail ?? error)"
    }
    return nil
  }

  /// Describes why a message cannot be written as JSON.
  static func text(of error: JSONEncodingError) -> String {
    switch error {
    case .durationRange: "a duration is out of its range"
    case .timestampRange: "a time is out of its range"
    case .valueNumberNotFinite: "a number is not finite"
    case .missingValue: "a value has no kind"
    case .anyTranscodeFailure: "a message is of an unknown type"
    case .fieldMaskConversion: "a field mask names no fields"
    case .missingFieldNames: "the names of fields are not known"
    }
  }
}

extension Collection<UInt8> {
  /// How many bytes come before the first that is not UTF-8; nil = all bytes are.
  var invalidUTF8Offset: Int? {
    var parser = Unicode.UTF8.ForwardParser()
    var bytes = makeIterator()
    var offset = 0
    while true {
      switch parser.parseScalar(from: &bytes) {
      case .valid(let scalar): offset += scalar.count
      case .error: return offset
      case .emptyInput: return nil
      }
    }
  }
}
