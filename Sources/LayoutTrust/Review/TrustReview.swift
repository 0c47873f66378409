// SPDX-License-Identifier: Apache-2.0

public import Foundation
internal import X509

/// Checks the files about identities and rights before a server uses them.
public struct TrustReview: Sendable {
  /// The files.
  public var configuration: TrustConfiguration
  /// The moment that dates are compared with.
  public var now: Date

  /// A review of the files of a configuration.
  public init(_ configuration: TrustConfiguration, now: Date = Date()) {
    self.configuration = configuration
    self.now = now
  }

  /// What was found, and which rights the policy gives to whom.
  public var findings: [Finding] {
    get async {
      var tokens: StaticTokens?
      var found: [Finding] = []
      if let path = configuration.tokens { (tokens, found) = review(tokens: path) }
      if let path = configuration.keys { found += await review(keys: path) }
      if let path = configuration.clientAuthorities { found += review(authorities: path) }
      return found + review(policy: configuration.policy, tokens: tokens)
    }
  }

  // MARK: - The files

  private func review(tokens path: String) -> (StaticTokens?, [Finding]) {
    let tokens: StaticTokens
    do throws(TrustError) {
      tokens = try StaticTokens(text: try FileReview.text(of: path))
    } catch { return (nil, [.error(error.of(path), "see \"Identities\" in the documentation")]) }
    var found: [Finding] = [.ok("\(path): \(tokens.names.count) tokens")]
    if tokens.names.isEmpty { found = [.warning("\(path): no tokens", "add a line for each")] }
    let ended = tokens.ended(by: now)
    if !ended.isEmpty {
      let names = ended.joined(separator: ", ")
      found.append(.warning("\(path): ended: \(names)", "renew or remove their lines"))
    }
    return (tokens, found)
  }

  private func review(keys path: String) async -> [Finding] {
    var file = WatchedFile(path: path)
    do throws(TrustError) {
      let keys = try await TokenKeys(jwks: try file.read())
      let list = keys.keys.map { "\($0.algorithm)\($0.id.map { " \($0)" } ?? "")" }
      var found: [Finding] = [.ok("\(path): keys \(list.joined(separator: ", "))")]
      if keys.keys.contains(where: { $0.algorithm == "HS256" }) {
        // A reader of a symmetric key can sign tokens.
        found += FileReview.privacy(of: path, what: "symmetric keys")
      }
      if configuration.rules.issuer == nil || configuration.rules.audience == nil {
        let advice = "set --auth-issuer and --auth-audience where others have tokens of these keys"
        found.append(.warning("\(path): tokens of any issuer or for any audience count", advice))
      }
      return found
    } catch { return [.error(error.of(path), "a JSON Web Key Set is needed")] }
  }

  private func review(authorities path: String) -> [Finding] {
    let all: [Certificate]
    do throws(TrustError) {
      let text = try FileReview.text(of: path)
      _ = try ClientCertificates(pem: text)
      all = (try? CertificateFile.certificates(pem: text)) ?? []
    } catch {
      return [.error(error.of(path), "certificates of authorities in PEM form are needed")]
    }
    let ended = all.filter { now > $0.notValidAfter }
    guard ended.isEmpty else {
      let names = ended.map { "\($0.subject)" }.joined(separator: ", ")
      return [.error("\(path): ended: \(names)", "their clients cannot connect; renew them")]
    }
    return [.ok("\(path): \(all.count) authorities of clients")]
  }

  private func review(policy path: String, tokens: StaticTokens?) -> [Finding] {
    let policy: Policy
    do throws(TrustError) {
      var file = WatchedFile(path: path)
      policy = try Policy(json: try file.read())
    } catch { return [.error(error.of(path), "see \"Rights\" in the documentation")] }
    guard !policy.rules.isEmpty else {
      return [.warning("\(path): no rules", "nobody may do anything; add rules")]
    }
    var found = policy.rules.map { rule in
      let collections = rule.collections.map(\.description).joined(separator: ", ")
      let subjects = rule.subjects.map(\.description).joined(separator: ", ")
      return Finding.ok("\(path): \(subjects) may \(rule.role.rawValue) \(collections)")
    }
    for rule in policy.rules where rule.subjects.isEmpty || rule.collections.isEmpty {
      found.append(
        .warning("\(path): a rule names nobody or no collections", "it gives nothing; complete it")
      )
    }
    found += idle(policy, tokens: tokens, path: path)
    return found
  }

  /// Rules that nobody can meet, and tokens to which no rule applies.
  private func idle(_ policy: Policy, tokens: StaticTokens?, path: String) -> [Finding] {
    var found: [Finding] = []
    for subject in Set(policy.rules.flatMap(\.subjects)) {
      let reason: String? =
        switch subject {
        case .anyone: nil
        case .token(let pattern):
          tokens?.names.contains { pattern.matches($0) } == true ? nil : "no token has that name"
        case .subject, .claim: configuration.keys == nil ? "there is no --auth-keys" : nil
        case .certificate:
          configuration.clientAuthorities == nil ? "there is no --tls-client-ca" : nil
        }
      guard let reason else { continue }
      found.append(.warning("\(path): \(subject) is nobody: \(reason)", "correct the rule"))
    }
    for name in tokens?.names ?? [] {
      let identity = Identity(.token(name: name), expiry: nil)
      guard policy.rights(of: [identity]).isEmpty else { continue }
      found.append(.warning("\(path): the token \(name) may do nothing", "add a rule for it"))
    }
    return found.sorted { $0.text < $1.text }
  }
}

extension TrustError {
  /// With the path in front, once.
  fileprivate func of(_ path: String) -> String {
    description.hasPrefix(path) ? description : "\(path): \(description)"
  }
}

extension Policy.Subject: CustomStringConvertible {
  /// As it is written in the policy.
  var description: String {
    switch self {
    case .anyone: "anyone"
    case .subject(let pattern): "subject:\(pattern)"
    case .claim(let name, let pattern): "claim:\(name)=\(pattern)"
    case .certificate(let pattern): "certificate:\(pattern)"
    case .token(let pattern): "token:\(pattern)"
    }
  }
}
