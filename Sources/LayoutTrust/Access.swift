// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Logging
internal import Synchronization

/// Why somebody may not do something, or no longer.
public enum AccessDenial: Error, Hashable, Sendable {
  /// The credentials prove nothing, or no longer.
  case unauthenticated(AuthenticationFailure)
  /// The rights are not sufficient, or no longer.
  case forbidden
}

/// What one call may do, as long as it lasts. If rights change during the call, it is affected at
/// once.
///
/// A long call names what it needs with `hold`, and `onDenial` tells it when it may no longer have
/// that.
public final class Access: Sendable {
  /// Something that a call needs as long as it lasts.
  struct Need: Hashable, Sendable {
    var role: Role
    var collection: String
  }

  private struct State {
    var credentials: Credentials
    var principal: Principal
    var rights: Rights
    var quotas: IdentityQuotas
    var needs: Set<Need> = []
    var denial: AccessDenial?
    var observer: (@Sendable (AccessDenial) -> Void)?
    /// The state of the files from which the rights were derived.
    var generation: Int
  }

  /// The full name of the method: "collection_layout.v1.CollectionService/ApplyUpdates".
  public let method: String
  /// Whose sessions the call may resume and ask about: its own.
  public let owner: String
  let number: Int
  /// Where the caller's credentials come from; wrong ones count against this address.
  private let address: String
  private let trust: Trust
  private let state: Mutex<State>

  init(
    method: String,
    number: Int,
    address: String,
    trust: Trust,
    credentials: Credentials,
    found: Trust.Evaluation,
    generation: Int
  ) {
    self.method = method
    self.number = number
    self.address = address
    self.trust = trust
    owner = found.principal.owner
    state = Mutex(
      State(
        credentials: credentials,
        principal: found.principal,
        rights: found.rights,
        quotas: found.quotas,
        generation: generation
      )
    )
  }

  deinit { trust.forget(number) }

  // MARK: - Rights

  /// Whether the caller may do anything at all.
  public var hasRights: Bool { state.withLock { $0.denial == nil && !$0.rights.isEmpty } }

  /// Whether the caller has a role.
  ///
  /// - Parameter collection: the identifier, without "collections/".
  public func allows(_ role: Role, on collection: String) -> Bool {
    state.withLock { $0.denial == nil && $0.rights.allows(role, on: collection) }
  }

  /// Whether the caller has a role on every collection, whatever its name.
  public func allowsEverywhere(_ role: Role) -> Bool {
    state.withLock { $0.denial == nil && $0.rights.allowsEverywhere(role) }
  }

  /// The beginnings of the identifiers of all collections on which the caller has a role, sorted.
  /// None is the beginning of another.
  public func beginnings(_ role: Role) -> [String] {
    state.withLock { $0.denial == nil ? $0.rights.beginnings(role) : [] }
  }

  /// How much the caller may use.
  public var quotas: IdentityQuotas { state.withLock { $0.quotas } }

  /// Notes that the call needs a role until it ends.
  ///
  /// - Returns: false if the caller does not have it.
  public func hold(_ role: Role, on collection: String) -> Bool {
    state.withLock { state in
      guard state.denial == nil, state.rights.allows(role, on: collection) else { return false }
      state.needs.insert(Need(role: role, collection: collection))
      return true
    }
  }

  /// Why the call has to end; nil = it has not.
  public var denial: AccessDenial? { state.withLock { $0.denial } }

  /// Calls `observer` once the call has to end; at once if that is so already. It must return at
  /// once.
  public func onDenial(_ observer: (@Sendable (AccessDenial) -> Void)?) {
    let denial = state.withLock { state in
      state.observer = observer
      return state.denial
    }
    if let denial { observer?(denial) }
  }

  // MARK: - Changes

  /// Continues with other credentials of the same identity.
  ///
  /// - Parameter token: without "Bearer ".
  /// - Throws: what is wrong with them; then nothing changes.
  public func renew(token: String) async throws(AuthenticationFailure) {
    var credentials = state.withLock { $0.credentials }
    credentials.authorization = ["Bearer \(token)"]
    let generation = trust.generation
    let found: Trust.Evaluation
    do throws(AuthenticationFailure) {
      found = try await trust.evaluate(credentials, from: address)
      guard found.principal.owner == owner else { throw .otherIdentity }
    } catch {
      trust.audit.notRenewed(self, error)
      throw error
    }
    settle(.success(found), with: credentials, generation: generation)
    trust.note(expiry: expiry)
    // Rights may have been revoked while the token waited to be verified.
    await trust.catchUp(self, since: generation)
  }

  /// When some of the rights expire by themselves; nil = never.
  var expiry: Date? { state.withLock { $0.denial == nil ? $0.principal.expiry : nil } }

  /// What the caller presented last; nil = the call has to end anyway.
  var currentCredentials: Credentials? {
    state.withLock { $0.denial == nil ? $0.credentials : nil }
  }

  /// Stores what the caller may do now.
  ///
  /// - Parameter credentials: the credentials that were evaluated.
  /// - Parameter generation: the state of the files with which they were.
  func takeOver(
    _ result: Result<Trust.Evaluation, AuthenticationFailure>,
    of credentials: Credentials,
    generation: Int
  ) {
    settle(result, with: credentials, generation: generation, isRenewal: false)
  }

  private func settle(
    _ result: Result<Trust.Evaluation, AuthenticationFailure>,
    with credentials: Credentials,
    generation: Int,
    isRenewal: Bool = true
  ) {
    let told: (AccessDenial, (@Sendable (AccessDenial) -> Void)?)? = state.withLock { state in
      guard state.denial == nil else { return nil }
      // Another renewal, or a newer state of the files, was faster.
      guard
        isRenewal
          || state.credentials.authorization == credentials.authorization
            && state.generation <= generation
      else { return nil }
      state.credentials = credentials
      state.generation = generation
      switch result {
      case .success(let found):
        state.principal = found.principal
        state.rights = found.rights
        state.quotas = found.quotas
        let isAllowed = state.needs.allSatisfy { found.rights.allows($0.role, on: $0.collection) }
        if found.rights.isEmpty || !isAllowed { state.denial = .forbidden }
      case .failure(let failure): state.denial = .unauthenticated(failure)
      }
      return state.denial.map { ($0, state.observer) }
    }
    guard let (denial, observer) = told else { return }
    trust.audit.ended(self, denial)
    observer?(denial)
  }

  // MARK: - The log

  /// For the log.
  public var identity: String { state.withLock { $0.principal.description } }

  /// Records in the audit log what was done.
  ///
  /// - Parameter role: what it needed. Calls that only read are logged at level debug, unless they
  ///   last.
  /// - Parameter version: of the collection, afterwards.
  /// - Parameter lasts: whether it goes on for a while, like a stream.
  public func audit(
    _ role: Role,
    on collection: String,
    version: UInt64? = nil,
    lasts: Bool = false
  ) {
    let isLook = role == .view && !lasts
    trust.audit.done(self, isLook ? .debug : .info, collection: collection, version: version)
  }

  /// Records in the audit log what was refused.
  public func auditRefusal(_ role: Role, on collection: String) {
    trust.audit.refused(self, role, collection: collection)
  }
}
