// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import LayoutTrust

@Suite("Policies", .timeLimit(.minutes(1)))
struct PolicyTests {
  private func policy(_ rules: String) throws -> Policy {
    try Policy(json: Data(#"{"rules": [\#(rules)]}"#.utf8))
  }

  private func refusal(_ json: String) -> String? {
    do throws(TrustError) {
      _ = try Policy(json: Data(json.utf8))
      return nil
    } catch { return error.description }
  }

  @Test(
    "a pattern describes whole names, and * any characters",
    arguments: [
      ("a", "a", true), ("a", "ab", false), ("a", "ba", false), ("a", "", false),
      ("*", "", true), ("*", "abc", true), ("a*", "a", true), ("a*", "abc", true),
      ("a*", "ba", false), ("*c", "abc", true), ("*c", "abcd", false), ("a*c", "abbc", true),
      ("a*c", "ac", true), ("a*b*c", "a1b2b3c", true), ("a*b*c", "acb", false),
      ("", "", true), ("", "a", false), ("**", "a", true), ("a.c", "abc", false),
    ]
  )
  func patterns(pattern: String, name: String, matches: Bool) {
    #expect(NamePattern(pattern).matches(name) == matches)
  }

  @Test("patterns match as a simple recursion does")
  func patternsAgainstReference() {
    func matches(_ pattern: Substring, _ name: Substring) -> Bool {
      guard let first = pattern.first else { return name.isEmpty }
      if first == "*" {
        return matches(pattern.dropFirst(), name)
          || (!name.isEmpty && matches(pattern, name.dropFirst()))
      }
      return name.first == first && matches(pattern.dropFirst(), name.dropFirst())
    }
    func texts(_ letters: [Character], _ length: Int) -> [String] {
      length == 0
        ? [""] : texts(letters, length - 1).flatMap { text in letters.map { text + String($0) } }
    }
    let patterns = (0 ... 4).flatMap { texts(["a", "b", "*"], $0) }
    let names = (0 ... 4).flatMap { texts(["a", "b"], $0) }
    for pattern in patterns {
      for name in names {
        #expect(
          NamePattern(pattern).matches(name) == matches(pattern[...], name[...]),
          "\(pattern) \(name)"
        )
      }
    }
  }

  @Test("a role includes those below it, and holds on its collections only")
  func roles() throws {
    let policy = try policy(
      #"{"identities": ["subject:eve"], "role": "edit", "collections": ["art-*", "hall"]}"#
    )
    let rights = policy.rights(of: [Identity(.signedToken(subject: "eve"))])
    for collection in ["art-", "art-modern", "hall"] {
      #expect(rights.allows(.view, on: collection) && rights.allows(.edit, on: collection))
      #expect(!rights.allows(.admin, on: collection))
    }
    #expect(!rights.allows(.view, on: "halls") && !rights.allows(.view, on: ""))
    #expect(policy.rights(of: [Identity(.signedToken(subject: "adam"))]).isEmpty)
    #expect(policy.rights(of: [Identity(.token(name: "eve"))]).isEmpty)
    #expect(policy.rights(of: []).isEmpty)
  }

  @Test(
    "a rule is about those that it names",
    arguments: [
      ("anyone", true, true, true), ("subject:eve", true, false, false),
      ("claim:groups=b*", true, false, false), ("claim:groups=c", false, false, false),
      ("claim:admin=true", true, false, false), ("token:im*", false, true, false),
      ("certificate:spiffe://x.org/*", false, false, true),
      ("certificate:viewer.x.org", false, false, true), ("certificate:eve", false, false, false),
    ]
  )
  func subjects(rule: String, signed: Bool, token: Bool, certificate: Bool) throws {
    let policy = try policy(
      #"{"identities": ["token:nobody", "\#(rule)"], "role": "view", "collections": ["*"]}"#
    )
    func isAllowed(_ identity: Identity) -> Bool {
      policy.rights(of: [identity]).allows(.view, on: "a")
    }
    let claims = ["groups": ["a", "bc"], "admin": ["true"]]
    #expect(isAllowed(Identity(.signedToken(subject: "eve"), claims: claims)) == signed)
    #expect(isAllowed(Identity(.token(name: "import"))) == token)
    let names = ["spiffe://x.org/viewer", "viewer.x.org"]
    #expect(isAllowed(Identity(.certificate(names: names))) == certificate)
  }

  @Test("identities of one caller have the rights of each")
  func union() throws {
    let policy = try policy(
      """
      {"identities": ["token:t"], "role": "view", "collections": ["a"]},
      {"identities": ["certificate:c"], "role": "admin", "collections": ["b"]}
      """
    )
    let rights = policy.rights(
      of: [Identity(.token(name: "t")), Identity(.certificate(names: ["c"]))]
    )
    #expect(rights.allows(.view, on: "a") && rights.allows(.admin, on: "b"))
    #expect(!rights.allows(.edit, on: "a"))
  }

  @Test(
    "a fault is named with its place",
    arguments: [
      ("", "not valid JSON"), (#"{"rule": []}"#, "unknown key \"rule\"; allowed are quotas, rules"),
      ("{}", "the key \"rules\" is missing"), ("null", "null found; an object is needed"),
      (#"{"rules": null}"#, "rules: null found; a list is needed"),
      (#"{"rules": 7}"#, "rules: another kind of value found; a list is needed"),
      (
        #"{"rules": [], "quotas": [{"roles": ["view"], "sessions": 1e30}]}"#,
        "quotas[0].sessions: 1e+30 found; a whole number below 2^63 is needed"
      ),
      (
        #"{"rules": [], "quotas": [{"roles": ["view"], "sessions": 0.5}]}"#,
        "quotas[0].sessions: 0.5 found; a whole number below 2^63 is needed"
      ),
      (
        #"{"rules": [{"identities": [7], "role": "view", "collections": []}]}"#,
        "rules[0].identities[0]: another kind of value found; a string is needed"
      ),
      (
        #"{"rules": [], "rules": [{"identities": ["anyone"]}]}"#,
        "the key \"rules\" is there twice in one object"
      ),
      (
        #"{"rules": [{"identities": ["anyone"], "role": "view"}]}"#,
        "rules[0]: the key \"collections\" is missing"
      ),
      (
        #"{"rules": [{"identities": ["anyone"], "role": "see", "collections": []}]}"#,
        "rules[0].role: \"see\" found; view, measure, edit, admin are allowed"
      ),
      (
        #"{"rules": [{"identities": ["anyone", "eve"], "role": "view", "collections": []}]}"#,
        "rules[0].identities[1]: \"eve\" found; anyone, subject:NAME"
      ),
      (
        #"{"rules": [{"identities": ["claim:x"], "role": "view", "collections": []}]}"#,
        "rules[0].identities[0]: \"claim:x\" found"
      ),
      (
        #"{"rules": [{"identities": [], "roles": "view", "role": "view", "collections": []}]}"#,
        "rules[0]: unknown key \"roles\"; allowed are collections, identities, role"
      ),
    ]
  )
  func faults(json: String, message: String) throws {
    let found = try #require(refusal(json))
    #expect(found.contains(message), "\(found)")
  }

  @Test(
    "a key counts as doubled within one object only",
    arguments: [
      (#"{"a": {"a": "a"}, "b": ["a", "a", {"a": 1}, {"a": 2}]}"#, nil),
      (#"{"a": "x\",\"a", "b\\": 1, "b": 2}"#, nil), (#"{"a": [{"b": 1, "c": 2, "b": 3}]}"#, "b"),
      (#"{"a": {"b": 1}, "a": 2}"#, "a"), (#"{"x\"y": 1, "x\"y": 2}"#, #"x"y"#),
      (#"{"rules": 1, "r\u0075les": 2}"#, "rules"), (#"{"a\/b": 1, "a/b": 2}"#, "a/b"),
      (#"{"a\u0062": 1, "ab\n": 2}"#, nil), (#"{"\ud800": 1, "a": 2, "a": 3}"#, "a"),
      (#"}]{"a":1,"a"#, "a"), (#"{"a"#, nil), (#"["#, nil), (#""\"#, nil), ("", nil),
    ] as [(String, String?)]
  )
  func doubledKeys(json: String, key: String?) {
    #expect(DoubledKeys.first(in: Array(json.utf8)) == key)
  }

  @Test(
    "what names begin with is said once, and only for those that a role is given on",
    arguments: [
      (["*"], [""]), (["a*", "b", "a-*", "a"], ["a", "b"]), (["b*c*", "a*z"], ["a", "b"]),
      (["", "x"], [""]), (["ab", "a*", "abc*", "b*"], ["a", "b"]), ([], []),
    ] as [([String], [String])]
  )
  func beginnings(patterns: [String], expected: [String]) {
    let rights = Rights(
      grants: [
        .init(role: .edit, collections: patterns.map { NamePattern($0) }),
        .init(role: .view, collections: [NamePattern("zz*")]),
      ]
    )
    #expect(rights.beginnings(.edit) == expected)
    #expect(rights.beginnings(.view).contains { "zz".hasPrefix($0) })
    #expect(rights.beginnings(.admin).isEmpty)
  }

  @Test("a role is everywhere where one pattern is nothing but *")
  func everywhere() {
    func rights(_ role: Role, _ patterns: String...) -> Rights {
      Rights(grants: [.init(role: role, collections: patterns.map { NamePattern($0) })])
    }
    #expect(rights(.admin, "a", "*").allowsEverywhere(.admin))
    #expect(rights(.admin, "**").allowsEverywhere(.edit))
    #expect(!rights(.edit, "*").allowsEverywhere(.admin))
    #expect(!rights(.admin, "a*", "", "*b").allowsEverywhere(.view))
  }
}
