// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Who may do what: rules that each give a role on some collections to some identities. Everything
/// else is forbidden.
public struct Policy: Hashable, Sendable {
  struct Rule: Hashable, Sendable {
    var subjects: [Subject]
    var role: Role
    var collections: [NamePattern]
  }

  /// To whom a rule applies.
  enum Subject: Hashable, Sendable {
    /// All authenticated callers.
    case anyone
    /// The claim `sub` of a signed token.
    case subject(NamePattern)
    /// Another claim of a signed token; if it is a list, any of its values.
    case claim(String, NamePattern)
    /// An alternative name of a client certificate.
    case certificate(NamePattern)
    /// The name of a token in the token file.
    case token(NamePattern)
  }

  var rules: [Rule]
  var quotaRules: [QuotaRule]

  /// Reads a policy:
  ///
  ///     {"rules": [
  ///       {"identities": ["claim:groups=editors"], "role": "edit", "collections": ["art-*"]},
  ///       {"identities": ["certificate:spiffe://example.org/import"], "role": "admin",
  ///        "collections": ["*"]}
  ///     ],
  ///     "quotas": [{"roles": ["view"], "sessions": 10, "callsPerSecond": 100}]}
  ///
  /// - Throws: `TrustError` that says where the fault is.
  public init(json: Data) throws(TrustError) {
    if let key = DoubledKeys.first(in: json) {
      throw TrustError(
        "the key \"\(key.prefix(100))\" is there twice in one object; once is allowed"
      )
    }
    let file: PolicyFile
    do { file = try JSONDecoder().decode(PolicyFile.self, from: json) } catch let error
      as DecodingError
    {
      throw TrustError(error.sentence)
    } catch { throw TrustError("\(error)") }
    rules = []
    for (index, rule) in file.rules.enumerated() {
      rules.append(try Rule(rule, at: "rules[\(index)]"))
    }
    quotaRules = []
    for (index, rule) in (file.quotas ?? []).enumerated() {
      quotaRules.append(try QuotaRule(rule, at: "quotas[\(index)]"))
    }
  }

  /// What these identities may do together.
  ///
  /// - Complexity: O(rules)
  func rights(of identities: [Identity]) -> Rights {
    Rights(
      grants: rules.filter { rule in
        rule.subjects.contains { subject in identities.contains { subject.matches($0) } }
      }.map { Rights.Grant(role: $0.role, collections: $0.collections) }
    )
  }
}

/// What somebody may do.
struct Rights: Hashable, Sendable {
  struct Grant: Hashable, Sendable {
    var role: Role
    var collections: [NamePattern]
  }

  var grants: [Grant]

  /// Whether nothing is allowed at all.
  var isEmpty: Bool { grants.isEmpty }

  /// - Parameter collection: the identifier, without "collections/".
  func allows(_ role: Role, on collection: String) -> Bool {
    grants.contains { grant in
      grant.role >= role && grant.collections.contains { $0.matches(collection) }
    }
  }

  /// Whether a role is given on every collection by one pattern, "*".
  func allowsEverywhere(_ role: Role) -> Bool {
    grants.contains { $0.role >= role && $0.collections.contains(where: \.isEverything) }
  }

  /// The beginnings of the identifiers of all collections on which a role is given, sorted. None is
  /// the beginning of another.
  ///
  /// - Complexity: O(n log n) for n patterns
  func beginnings(_ role: Role) -> [String] {
    let all = grants.filter { $0.role >= role }.flatMap(\.collections).map { String($0.beginning) }
    var beginnings: [String] = []
    // In sorted order, texts follow their beginning at once; only texts that share it come between.
    for beginning in all.sorted() where !(beginnings.last.map(beginning.hasPrefix) ?? false) {
      beginnings.append(beginning)
    }
    return beginnings
  }
}

extension Policy.Subject {
  init(_ text: String, at place: String) throws(TrustError) {
    if text == "anyone" {
      self = .anyone
      return
    }
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let value = parts.count == 2 ? String(parts[1]) : ""
    switch parts.first {
    case "subject" where !value.isEmpty: self = .subject(NamePattern(value))
    case "certificate" where !value.isEmpty: self = .certificate(NamePattern(value))
    case "token" where !value.isEmpty: self = .token(NamePattern(value))
    case "claim":
      let pair = value.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard pair.count == 2, !pair[0].isEmpty else { fallthrough }
      self = .claim(String(pair[0]), NamePattern(String(pair[1])))
    default:
      throw TrustError(
        "\(place): \"\(text)\" found; anyone, subject:NAME, claim:NAME=VALUE, certificate:NAME or "
          + "token:NAME is needed"
      )
    }
  }

  func matches(_ identity: Identity) -> Bool {
    switch (self, identity.source) {
    case (.anyone, _): true
    case (.subject(let pattern), .signedToken(let subject)): pattern.matches(subject)
    case (.claim(let name, let pattern), .signedToken):
      identity.claims[name, default: []].contains { pattern.matches($0) }
    case (.certificate(let pattern), .certificate(let names)):
      names.contains { pattern.matches($0) }
    case (.token(let pattern), .token(let name)): pattern.matches(name)
    default: false
    }
  }
}

extension Policy.Rule {
  fileprivate init(_ rule: PolicyFile.Rule, at place: String) throws(TrustError) {
    role = try Role(rule.role, at: "\(place).role")
    subjects = try Policy.subjects(rule.identities, at: place)
    collections = rule.collections.map { NamePattern($0) }
  }
}

extension Policy.QuotaRule {
  fileprivate init(_ rule: PolicyFile.Quotas, at place: String) throws(TrustError) {
    guard rule.identities != nil || rule.roles != nil else {
      throw TrustError("\(place): identities or roles are needed")
    }
    if let identities = rule.identities {
      subjects = try Policy.subjects(identities, at: place)
    }
    if let names = rule.roles {
      var roles: Set<Role> = []
      for (index, name) in names.enumerated() {
        roles.insert(try Role(name, at: "\(place).roles[\(index)]"))
      }
      self.roles = roles
    }
    for (name, value) in rule.numbers {
      guard let value, value < 0 else { continue }
      throw TrustError("\(place).\(name): \(value) found; 0 or more is needed")
    }
    quotas = IdentityQuotas(
      sessions: rule.sessions,
      callsPerSecond: rule.callsPerSecond,
      contentBytes: rule.contentBytes,
      layoutBytes: rule.layoutBytes
    )
  }
}

extension Policy {
  fileprivate static func subjects(
    _ texts: [String],
    at place: String
  ) throws(TrustError) -> [Subject] {
    var subjects: [Subject] = []
    for (index, text) in texts.enumerated() {
      subjects.append(try Subject(text, at: "\(place).identities[\(index)]"))
    }
    return subjects
  }
}

extension Role {
  fileprivate init(_ name: String, at place: String) throws(TrustError) {
    guard let role = Role(rawValue: name) else {
      let known = Role.allCases.map(\.rawValue).joined(separator: ", ")
      throw TrustError("\(place): \"\(name)\" found; \(known) are allowed")
    }
    self = role
  }
}

// MARK: - The file

/// The policy as JSON. Unknown keys are refused, because a rule with a typing error would give
/// other rights than it seems to.
private struct PolicyFile: Decodable {
  struct Rule: Decodable {
    var identities: [String]
    var role: String
    var collections: [String]

    private enum CodingKeys: String, CodingKey, CaseIterable { case identities, role, collections }

    init(from decoder: any Decoder) throws {
      try decoder.refuseKeys(except: CodingKeys.allCases.map(\.rawValue))
      let container = try decoder.container(keyedBy: CodingKeys.self)
      identities = try container.decode([String].self, forKey: .identities)
      role = try container.decode(String.self, forKey: .role)
      collections = try container.decode([String].self, forKey: .collections)
    }
  }

  struct Quotas: Decodable {
    var identities: [String]?
    var roles: [String]?
    var sessions: Int?
    var callsPerSecond: Int?
    var contentBytes: Int?
    var layoutBytes: Int?

    var numbers: [(name: String, value: Int?)] {
      [
        ("sessions", sessions), ("callsPerSecond", callsPerSecond),
        ("contentBytes", contentBytes), ("layoutBytes", layoutBytes),
      ]
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
      case identities, roles, sessions, callsPerSecond, contentBytes, layoutBytes
    }

    init(from decoder: any Decoder) throws {
      try decoder.refuseKeys(except: CodingKeys.allCases.map(\.rawValue))
      let container = try decoder.container(keyedBy: CodingKeys.self)
      identities = try container.decodeIfPresent([String].self, forKey: .identities)
      roles = try container.decodeIfPresent([String].self, forKey: .roles)
      func whole(_ key: CodingKeys) throws -> Int? {
        if let whole = try? container.decodeIfPresent(Int.self, forKey: key) { return whole }
        // Of 1e30 the decoder would say that the file is not valid JSON.
        guard let number = try container.decodeIfPresent(Double.self, forKey: key) else {
          return nil
        }
        if let whole = Int(exactly: number) { return whole }
        throw DecodingError.dataCorruptedError(
          forKey: key,
          in: container,
          debugDescription: "\(number) found; a whole number below 2^63 is needed"
        )
      }
      sessions = try whole(.sessions)
      callsPerSecond = try whole(.callsPerSecond)
      contentBytes = try whole(.contentBytes)
      layoutBytes = try whole(.layoutBytes)
    }
  }

  var rules: [Rule]
  var quotas: [Quotas]?

  private enum CodingKeys: String, CodingKey { case rules, quotas }

  init(from decoder: any Decoder) throws {
    try decoder.refuseKeys(except: ["rules", "quotas"])
    let container = try decoder.container(keyedBy: CodingKeys.self)
    rules = try container.decode([Rule].self, forKey: .rules)
    quotas = try container.decodeIfPresent([Quotas].self, forKey: .quotas)
  }
}

/// Any key of a JSON object.
struct AnyKey: CodingKey {
  var stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

extension Decoder {
  fileprivate func refuseKeys(except known: [String]) throws {
    let found = try container(keyedBy: AnyKey.self).allKeys.map(\.stringValue)
    guard let unknown = found.filter({ !known.contains($0) }).min() else { return }
    throw DecodingError.dataCorrupted(
      .init(
        codingPath: codingPath,
        debugDescription: "unknown key \"\(unknown)\"; "
          + "allowed are \(known.sorted().joined(separator: ", "))"
      )
    )
  }
}

extension DecodingError {
  /// Where the fault is and what it is, without the values of the file.
  var sentence: String {
    let (context, fault): (Context, String) =
      switch self {
      case .valueNotFound(let type, let context):
        (context, "null found; \(Self.name(of: type)) is needed")
      case .typeMismatch(let type, let context):
        (context, "another kind of value found; \(Self.name(of: type)) is needed")
      case .keyNotFound(let key, let context):
        (context, "the key \"\(key.stringValue)\" is missing")
      case .dataCorrupted(let context): (context, context.debugDescription)
      @unknown default: (Context(codingPath: [], debugDescription: ""), "\(self)")
      }
    let path = context.codingPath.reduce(into: "") { path, key in
      if let index = key.intValue {
        path += "[\(index)]"
      } else {
        path += path.isEmpty ? key.stringValue : ".\(key.stringValue)"
      }
    }
    return path.isEmpty ? fault : "\(path): \(fault)"
  }

  /// What JSON calls the values from which a type is read.
  private static func name(of type: Any.Type) -> String {
    // The decoder uses types of its own for objects and lists.
    let text = "\(type)"
    return switch type {
    case is String.Type: "a string"
    case is Bool.Type: "true or false"
    case _ where text.contains("Unkeyed") || text.contains("Array"): "a list"
    case _ where text.contains("Keyed") || text.contains("Dictionary"): "an object"
    case is any BinaryInteger.Type, is any BinaryFloatingPoint.Type: "a number"
    default: "an object"
    }
  }
}
