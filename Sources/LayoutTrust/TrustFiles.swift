// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The contents of a configuration's files at one moment.
struct TrustState: Sendable {
  var policy: Policy
  var tokens: StaticTokens?
  var signedTokens: SignedTokens?
  var certificates: ClientCertificates?
  /// Grows with every change.
  var generation = 0
}

/// Reads the files of a configuration, and reads them again when they change.
struct TrustFiles: Sendable {
  private let rules: SignedTokenRules
  private var policy: WatchedFile
  private var tokens: WatchedFile?
  private var keys: WatchedFile?
  private var authorities: WatchedFile?

  init(_ configuration: TrustConfiguration) {
    rules = configuration.rules
    policy = WatchedFile(path: configuration.policy)
    tokens = configuration.tokens.map { WatchedFile(path: $0) }
    keys = configuration.keys.map { WatchedFile(path: $0) }
    authorities = configuration.clientAuthorities.map { WatchedFile(path: $0) }
  }

  /// Reads all files.
  ///
  /// - Throws: `TrustError` that names the first bad file.
  mutating func read() async throws(TrustError) -> TrustState {
    var state = TrustState(policy: try readPolicy())
    if tokens != nil { state.tokens = try readTokens() }
    if keys != nil { state.signedTokens = try await readKeys() }
    if authorities != nil { state.certificates = try readAuthorities() }
    return state
  }

  /// Reads the files that have changed.
  ///
  /// - Parameter isForced: whether the others are read too.
  /// - Returns: the paths of those that were taken over, and what is wrong with the others.
  mutating func refresh(
    _ state: inout TrustState,
    isForced: Bool
  ) async -> (taken: [String], faults: [TrustError]) {
    var taken: [String] = []
    var faults: [TrustError] = []
    if isForced || policy.hasChanged {
      do throws(TrustError) {
        state.policy = try readPolicy()
        taken.append(policy.path)
      } catch { faults.append(error) }
    }
    if let file = tokens, isForced || file.hasChanged {
      do throws(TrustError) {
        state.tokens = try readTokens()
        taken.append(file.path)
      } catch { faults.append(error) }
    }
    if let file = keys, isForced || file.hasChanged {
      do throws(TrustError) {
        state.signedTokens = try await readKeys(after: state.signedTokens)
        taken.append(file.path)
      } catch { faults.append(error) }
    }
    if let file = authorities, isForced || file.hasChanged {
      do throws(TrustError) {
        state.certificates = try readAuthorities(after: state.certificates)
        taken.append(file.path)
      } catch { faults.append(error) }
    }
    if !taken.isEmpty { state.generation += 1 }
    return (taken, faults)
  }

  // MARK: - The files

  private mutating func readPolicy() throws(TrustError) -> Policy {
    let data = try policy.read()
    do throws(TrustError) { return try Policy(json: data) } catch { throw error.of(policy) }
  }

  private mutating func readTokens() throws(TrustError) -> StaticTokens? {
    guard var file = tokens else { return nil }
    defer { tokens = file }
    let text = try file.readText()
    do throws(TrustError) { return try StaticTokens(text: text) } catch { throw error.of(file) }
  }

  private mutating func readKeys(
    after former: SignedTokens? = nil
  ) async throws(TrustError) -> SignedTokens? {
    guard var file = keys else { return nil }
    let result = Result { () throws(TrustError) in try file.read() }
    keys = file
    let data = try result.get()
    do throws(TrustError) {
      return SignedTokens(keys: try await TokenKeys(jwks: data), rules: rules, after: former)
    } catch { throw error.of(file) }
  }

  private mutating func readAuthorities(
    after former: ClientCertificates? = nil
  ) throws(TrustError) -> ClientCertificates? {
    guard var file = authorities else { return nil }
    defer { authorities = file }
    let text = try file.readText()
    do throws(TrustError) { return try ClientCertificates(pem: text, after: former) } catch {
      throw error.of(file)
    }
  }
}

extension WatchedFile {
  fileprivate mutating func readText() throws(TrustError) -> String {
    guard let text = String(data: try read(), encoding: .utf8) else {
      throw TrustError("\(path): the file is not UTF-8")
    }
    return text
  }
}

extension TrustError {
  fileprivate func of(_ file: WatchedFile) -> TrustError {
    TrustError("\(file.path): \(description)")
  }
}
