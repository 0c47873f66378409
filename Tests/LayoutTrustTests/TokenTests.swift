// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TrustTesting

@testable import LayoutTrust

@Suite("Tokens", .timeLimit(.minutes(1)))
struct TokenTests {
  private let now = Date(timeIntervalSince1970: 1_800_000_000)

  private func verdict(
    of token: String,
    _ signers: [TestSigner],
    _ rules: SignedTokenRules = .init(),
    naming isNamed: Bool = true
  ) async throws -> Result<Identity, AuthenticationFailure> {
    let keys = try await TokenKeys(jwks: try TestSigner.keySet(signers, naming: isNamed))
    let tokens = SignedTokens(keys: keys, rules: rules)
    do throws(AuthenticationFailure) {
      return .success(try await tokens.identity(of: token, at: now))
    } catch { return .failure(error) }
  }

  @Test(
    "a token is verified with each algorithm, with named keys and without",
    arguments: TokenKeys.algorithms
  )
  func algorithms(algorithm: String) async throws {
    let signers = try TokenKeys.algorithms.map { try TestSigner($0, id: "key-\($0)") }
    let signer = try #require(signers.first { $0.algorithm == algorithm })
    let token = try signer.token(subject: "eve", from: now, #","groups":["a","b"],"level":3"#)
    for isNamed in [true, false] {
      let identity = try await verdict(of: token, signers, naming: isNamed).get()
      #expect(identity.source == .signedToken(subject: "eve"))
      #expect(identity.claims["groups"] == ["a", "b"] && identity.claims["level"] == ["3"])
      #expect(identity.expiry == now + 630)
    }
    // Another key of the same algorithm and name.
    let other = try TestSigner(algorithm, id: signer.id)
    #expect(try await verdict(of: token, [other]) == .failure(.invalidToken(.signature)))
    // One bit less.
    var text = Array(token)
    text[text.count - 20] = text[text.count - 20] == "A" ? "B" : "A"
    #expect(try await verdict(of: String(text), signers) == .failure(.invalidToken(.signature)))
  }

  @Test("a token that says how it is to be verified is not believed")
  func header() async throws {
    let signer = try TestSigner("RS256")
    let end = Int(now.timeIntervalSince1970) + 60
    let claims = #"{"sub":"eve","exp":\#(end)}"#
    let headers: [(String, TokenFault)] = [
      (#"{"alg":"none"}"#, .noKey), (#"{"alg":"HS256","kid":"key"}"#, .noKey),
      (#"{"alg":"RS512","kid":"key"}"#, .noKey), (#"{"alg":"RS256","kid":"other"}"#, .noKey),
      (#"{"alg":"RS256","kid":"key","crit":["b64"],"b64":false}"#, .header),
      (#"{"kid":"key"}"#, .header), (#"{"alg":1e400}"#, .header), ("[]", .header), ("", .header),
    ]
    for (header, fault) in headers {
      let token = try signer.token(claims, header: header)
      #expect(
        try await verdict(of: token, [signer]) == .failure(.invalidToken(fault)),
        "\(header)"
      )
    }
    // A good signature, and texts in the header that take long to compare.
    for marks in [
      String(repeating: "\u{301}", count: 100), String(repeating: #"\u0301"#, count: 100),
    ] {
      let token = try signer.token(claims, header: #"{"alg":"\#(signer.algorithm)","\#(marks)":1}"#)
      #expect(try await verdict(of: token, [signer]) == .failure(.invalidToken(.header)))
    }
    let unsigned = try signer.token(claims, header: #"{"alg":"none"}"#)
    let parts = unsigned.split(separator: ".")
    #expect(
      try await verdict(of: "\(parts[0]).\(parts[1]).", [signer])
        == .failure(.invalidToken(.form))
    )
    // A public key is no secret.
    let secret = try TestSigner("HS256")
    let forged = try secret.token(claims)
    #expect(try await verdict(of: forged, [signer]) == .failure(.invalidToken(.noKey)))
    for text in ["", ".", "..", "a.b.c", "....", String(repeating: "a", count: Trust.longestToken)]
    {
      #expect(try await verdict(of: text, [signer]) == .failure(.invalidToken(.form)))
    }
    let long = String(repeating: "a", count: Trust.longestToken + 1)
    #expect(try await verdict(of: long, [signer]) == .failure(.invalidToken(.tooLong)))
  }

  @Test("a token holds from its beginning to its end, give or take the leeway")
  func times() async throws {
    let signer = try TestSigner("HS256")
    let second = Int(now.timeIntervalSince1970)
    func verdict(_ claims: String) async throws -> Result<Identity, AuthenticationFailure> {
      try await self.verdict(
        of: try signer.token(#"{"sub":"eve"\#(claims)}"#),
        [signer],
        SignedTokenRules(leeway: .seconds(30))
      )
    }
    for late in [0, 29] { _ = try await verdict(#","exp":\#(second - late)"#).get() }
    #expect(try await verdict(#","exp":\#(second - 30)"#) == .failure(.expired))
    #expect(try await verdict("") == .failure(.invalidToken(.noExpiry)))
    for text in [#""soon""#, "null", "-1", "1e999", "[]"] {
      #expect(
        try await verdict(#","exp":\#(text)"#) == .failure(.invalidToken(.signature)),
        "\(text)"
      )
    }
    _ = try await verdict(#","exp":1e300"#).get()
    let end = #","exp":\#(second + 60)"#
    _ = try await verdict(#"\#(end),"nbf":\#(second + 30)"#).get()
    #expect(
      try await verdict(#"\#(end),"nbf":\#(second + 31)"#) == .failure(.invalidToken(.notYetValid))
    )
    #expect(try await verdict(#"\#(end),"nbf":"x""#) == .failure(.invalidToken(.signature)))
  }

  @Test(
    "a token has one form: padding, other letters and spare bits make it another",
    arguments: ["HS256", "ES256", "RS256", "EdDSA"]
  )
  func oneForm(algorithm: String) async throws {
    let signer = try TestSigner(algorithm)
    let token = try signer.token(subject: "eve", lasting: 60, from: now)
    _ = try await verdict(of: token, [signer]).get()
    var variants = ["=", "==", "\n", "%"].map { token + $0 }
    let parts = token.split(separator: ".").map(String.init)
    variants += (0 ..< 3).map { index in
      var parts = parts
      parts[index] += "="
      return parts.joined(separator: ".")
    }
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    // The bits behind the last byte of a signature of 32, 64 or 256 bytes.
    if let last = token.last, let value = letters.firstIndex(of: last), value % 4 == 0 {
      variants.append(token.dropLast() + String(letters[value + 1]))
    }
    for variant in variants {
      #expect(
        try await verdict(of: variant, [signer]) == .failure(.invalidToken(.form)),
        "\(variant)"
      )
    }
  }

  @Test("a token that was found good is not good after its end")
  func remembered() async throws {
    let signer = try TestSigner("ES256")
    let keys = try await TokenKeys(jwks: try TestSigner.keySet([signer]))
    let tokens = SignedTokens(keys: keys, rules: SignedTokenRules(leeway: .zero))
    let token = try signer.token(subject: "eve", lasting: 60, from: now)
    for _ in 0 ..< 2 { _ = try await tokens.identity(of: token, at: now) }
    let later = now + 60
    await #expect(throws: AuthenticationFailure.expired) {
      try await tokens.identity(of: token, at: later)
    }
  }

  @Test("a token that was found wrong is not verified again, until the keys change")
  func rememberedRefusals() async throws {
    let (signer, other) = (try TestSigner("ES256"), try TestSigner("ES256"))
    func tokens(
      _ signers: [TestSigner],
      after former: SignedTokens? = nil
    ) async throws -> SignedTokens {
      let keys = try await TokenKeys(jwks: try TestSigner.keySet(signers))
      return SignedTokens(keys: keys, rules: .init(), after: former)
    }
    let before = try await tokens([signer])
    let (good, wrong) = (
      try signer.token(subject: "eve", from: now), try other.token(subject: "eve", from: now)
    )
    for _ in 0 ..< 5 {
      _ = try await before.identity(of: good, at: now)
      await #expect(throws: AuthenticationFailure.invalidToken(.signature)) {
        try await before.identity(of: wrong, at: now)
      }
    }
    #expect(before.checkCount == 2)
    let after = try await tokens([signer, other], after: before)
    for _ in 0 ..< 5 {
      for token in [good, wrong] { _ = try await after.identity(of: token, at: now) }
    }
    // The good one was verified by a key that is still there. Both keys have the same name.
    #expect(after.checkCount == 2)
    let without = try await tokens([other], after: after)
    _ = try await without.identity(of: wrong, at: now)
    await #expect(throws: AuthenticationFailure.invalidToken(.signature)) {
      try await without.identity(of: good, at: now)
    }
    #expect(without.checkCount == 1)
  }

  @Test("a token that begins to hold later is not taken for wrong")
  func early() async throws {
    let signer = try TestSigner("HS256")
    let keys = try await TokenKeys(jwks: try TestSigner.keySet([signer]))
    let tokens = SignedTokens(keys: keys, rules: SignedTokenRules(leeway: .zero))
    let begin = Int(now.timeIntervalSince1970) + 10
    let token = try signer.token(subject: "eve", lasting: 60, from: now, #","nbf":\#(begin)"#)
    await #expect(throws: AuthenticationFailure.invalidToken(.notYetValid)) {
      try await tokens.identity(of: token, at: now)
    }
    _ = try await tokens.identity(of: token, at: now + 10)
    #expect(tokens.checkCount == 1)
  }

  @Test("few keys are tried for a token that names none, those of its name first")
  func candidates() async throws {
    let signers = try (0 ..< 6).map { try TestSigner("ES256", id: "key-\($0)") }
    let end = Int(now.timeIntervalSince1970) + 60
    func verdict(_ index: Int, header: String?) async throws -> (isGood: Bool, checks: Int) {
      let keys = try await TokenKeys(jwks: try TestSigner.keySet(signers))
      let tokens = SignedTokens(keys: keys, rules: .init())
      let token = try signers[index].token(#"{"sub":"eve","exp":\#(end)}"#, header: header)
      let isGood = (try? await tokens.identity(of: token, at: now)) != nil
      return (isGood, tokens.checkCount)
    }
    let unnamed = #"{"alg":"ES256"}"#
    #expect(try await verdict(3, header: unnamed) == (true, 4))
    #expect(try await verdict(4, header: unnamed) == (false, 4))
    #expect(try await verdict(5, header: nil) == (true, 1))
    #expect(try await verdict(5, header: #"{"alg":"ES256","kid":"unknown"}"#) == (false, 0))
  }

  @Test("issuer and audience have to be those that are wanted")
  func issuerAndAudience() async throws {
    let signer = try TestSigner("EdDSA")
    let rules = SignedTokenRules(issuer: "https://id.x.org", audience: "layout")
    func fault(_ claims: String) async throws -> TokenFault? {
      let token = try signer.token(subject: "eve", from: now, claims)
      guard case .failure(let failure) = try await verdict(of: token, [signer], rules) else {
        return nil
      }
      guard case .invalidToken(let fault) = failure else { throw failure }
      return fault
    }
    let issuer = #","iss":"https://id.x.org""#
    #expect(try await fault(#"\#(issuer),"aud":"layout""#) == nil)
    #expect(try await fault(#"\#(issuer),"aud":["other","layout"]"#) == nil)
    for claims in [issuer, #"\#(issuer),"aud":"layouts""#] {
      #expect(try await fault(claims) == .audience, "\(claims)")
    }
    for claims in [
      #","iss":"https://id.x.org/","aud":"layout""#, #","aud":"layout""#,
      #","iss":["https://id.x.org","x"],"aud":"layout""#,
    ] {
      #expect(try await fault(claims) == .issuer, "\(claims)")
    }
  }

  @Test("a token needs a subject, which is one text")
  func subject() async throws {
    let signer = try TestSigner("HS256")
    let end = Int(now.timeIntervalSince1970) + 60
    for subject in ["", #","sub":"""#, #","sub":{}"#, #","sub":["eve"]"#, #","sub":7"#] {
      let claims = #"{"exp":\#(end)\#(subject)}"#
      let verdict = try await verdict(of: try signer.token(claims), [signer])
      #expect(verdict == .failure(.invalidToken(.noSubject)))
    }
  }

  @Test(
    "a bad key set is refused, with the key at fault",
    arguments: [
      ("x", "not valid JSON"), ("{}", "\"keys\" is missing"),
      (#"{"keys": []}"#, "there is no key for signatures"),
      (#"{"keys": [{"kty": "oct", "k": "AAAA"}]}"#, "keys[0]: k: the key has 3 bytes; at least 32"),
      (#"{"keys": [{"kty": "oct"}]}"#, "keys[0]: k: a key in base64url is needed"),
      (#"{"keys": [{"kty": "RSA", "n": "AQAB"}]}"#, "keys[0]: n and e are needed"),
      (#"{"keys": [{"kty": "EC", "crv": "P-256", "x": "AA", "y": "AA"}]}"#, "keys[0]: the key"),
      (#"{"keys": [{"kty": "RSA", "alg": "ES256", "n": "AA", "e": "AA"}]}"#, "is not for ES256"),
      (#"{"keys": [{"kty": "oct", "use": "enc", "k": "AAAA"}]}"#, "there is no key"),
      (#"{"keys": [{"kty": "oct", "key_ops": ["encrypt"], "k": "AAAA"}]}"#, "there is no key"),
      (
        #"{"keys": [{"kty": "EC", "crv": "P-384", "alg": "ES256", "x": "AA", "y": "AA"}]}"#,
        #"crv: "P-384" found; ES256 needs "P-256""#
      ),
      (#"{"keys": [{"kty": "OKP", "alg": "EdDSA", "x": "AA"}]}"#, "crv: none found; EdDSA needs"),
      (#"{"keys": [{"kty": "oct", "alg": "none", "k": "AAAA"}]}"#, "there is no key"),
    ]
  )
  func badKeys(json: String, message: String) async throws {
    do throws(TrustError) {
      _ = try await TokenKeys(jwks: Data(json.utf8))
      Issue.record("\(json) was accepted")
    } catch { #expect(error.description.contains(message), "\(error)") }
  }

  @Test("tokens of a file are known by their digests, until they end")
  func staticTokens() throws {
    let tokens = try StaticTokens(
      text: "# ours\n\n" + tokenLine("import", "secret")
        + tokenLine("guest", "welcome", until: "2027-01-15T08:00:00Z")
    )
    #expect(tokens.identity(of: "secret") == Identity(.token(name: "import")))
    let guest = try #require(tokens.identity(of: "welcome"))
    #expect(guest.source == .token(name: "guest") && guest.expiry == now)
    for token in ["", "secret ", "Secret", tokenLine("import", "secret")] {
      #expect(tokens.identity(of: token) == nil)
    }
    #expect(try StaticTokens(text: "").identity(of: "") == nil)
  }

  @Test(
    "a bad line of a token file is named",
    arguments: [
      "name", "name 00", "name \(String(repeating: "g", count: 64))",
      "name \(String(repeating: "0", count: 64)) soon",
      "name \(String(repeating: "0", count: 64)) 2027-01-15T08:00:00Z more",
    ]
  )
  func badTokens(line: String) {
    do throws(TrustError) {
      _ = try StaticTokens(text: "# comment\n\(line)\n")
      Issue.record("\(line) was accepted")
    } catch { #expect(error.description.hasPrefix("line 2: ")) }
  }
}
