// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore
internal import LayoutProtocol
internal import LayoutTrust
internal import Logging

/// What one call may do; everything, on a server without identities.
///
/// What a caller may not see does not exist for that caller: it is refused by its name alone,
/// before any lookup, so that neither the answer nor its timing tells whether it exists.
struct CallAccess: Sendable {
  /// nil = the server has no identities.
  private let access: Access?
  /// Where anonymous actions are logged; nil = nowhere.
  private let anonymous: (logger: Logger, method: MethodDescriptor)?

  /// Everything is allowed, and nothing is logged.
  static let open = CallAccess(access: nil, anonymous: nil)

  private init(access: Access?, anonymous: (Logger, MethodDescriptor)?) {
    self.access = access
    self.anonymous = anonymous
  }

  /// The rights of an authenticated caller.
  init(_ access: Access) { self.init(access: access, anonymous: nil) }

  /// Everything is allowed to everybody.
  ///
  /// - Parameters:
  ///   - method: the method of the call, for the log.
  ///   - logger: logs what is done.
  static func open(_ method: MethodDescriptor, logger: Logger) -> CallAccess {
    CallAccess(access: nil, anonymous: (logger, method))
  }

  /// The owner of the sessions that the call may resume and query; nil = the server has no
  /// identities.
  var owner: String? { access?.owner }

  /// The quotas of the caller's identity.
  var quotas: IdentityQuotas { access?.quotas ?? IdentityQuotas() }

  // MARK: - Rights

  /// - Throws: UNAUTHENTICATED or PERMISSION_DENIED if the call may not go on.
  func throwIfDenied() throws(LayoutProblem) {
    if let denial = access?.denial { throw LayoutProblem(denial) }
  }

  /// - Throws: PERMISSION_DENIED for a caller without a role.
  func requireRights() throws(LayoutProblem) {
    guard let access, !access.hasRights else { return }
    try throwIfDenied()
    access.auditRefusal(.view, on: "")
    throw .permissionDenied("No role is given to this identity.")
  }

  /// Whether the caller has a role.
  ///
  /// - Parameter id: the collection's identifier.
  func allows(_ role: Role, on id: String) -> Bool { access?.allows(role, on: id) ?? true }

  /// Whether the caller has a role on every collection, whatever its name.
  func allowsEverywhere(_ role: Role) -> Bool { access?.allowsEverywhere(role) ?? true }

  /// The prefixes of the identifiers of all collections on which the caller has a role, sorted;
  /// none is a prefix of another.
  func beginnings(_ role: Role) -> [String] { access?.beginnings(role) ?? [""] }

  /// Checks that the caller has a role, which the call then needs until it ends.
  ///
  /// - Parameter id: the collection's identifier; it need not exist.
  /// - Throws: COLLECTION_NOT_FOUND if the caller may not see the collection; PERMISSION_DENIED.
  func require(_ role: Role, on id: String) throws(LayoutProblem) {
    guard let access else { return }
    try throwIfDenied()
    guard !access.hold(role, on: id) else { return }
    throw refusal(of: role, on: id, access)
  }

  /// Checks that the caller has a role at this moment.
  ///
  /// - Parameter id: the collection's identifier; it need not exist.
  /// - Throws: as `require(_:on:)`.
  func check(_ role: Role, on id: String) throws(LayoutProblem) {
    guard let access else { return }
    try throwIfDenied()
    guard !access.allows(role, on: id) else { return }
    throw refusal(of: role, on: id, access)
  }

  private func refusal(of role: Role, on id: String, _ access: Access) -> LayoutProblem {
    access.auditRefusal(role, on: id)
    guard access.allows(.view, on: id) else {
      return .collectionNotFound(CollectionName(id).description)
    }
    return .permissionDenied("The role \"\(role.rawValue)\" is needed for this.")
  }

  /// Checks that the caller may create a collection. The answer does not depend on whether it
  /// exists.
  ///
  /// - Throws: PERMISSION_DENIED
  func requireCreation(of id: String) throws(LayoutProblem) {
    guard let access else { return }
    try throwIfDenied()
    guard !access.hold(.admin, on: id) else { return }
    access.auditRefusal(.admin, on: id)
    throw .permissionDenied("The role \"admin\" is needed for this.")
  }

  // MARK: - While it lasts

  /// Sets the observer that is called when the call may no longer go on; nil = none. It must return
  /// at once.
  func onDenial(_ observer: (@Sendable (LayoutProblem) -> Void)?) {
    guard let observer else {
      access?.onDenial(nil)
      return
    }
    access?.onDenial { observer(LayoutProblem($0)) }
  }

  /// Replaces the token by another of the same identity.
  ///
  /// - Throws: UNAUTHENTICATED; then nothing has changed.
  func renew(token: String) async throws(LayoutProblem) {
    guard let access else { return }
    do throws(AuthenticationFailure) { try await access.renew(token: token) } catch {
      throw LayoutProblem(error)
    }
  }

  // MARK: - The log

  /// Writes what was done to the audit log.
  ///
  /// - Parameters:
  ///   - version: the collection's version afterwards.
  ///   - lasts: whether the action goes on for a while, like a stream.
  func audit(_ role: Role, on id: String, version: UInt64? = nil, lasts: Bool = false) {
    if let access { return access.audit(role, on: id, version: version, lasts: lasts) }
    guard let (logger, method) = anonymous else { return }
    // Creating and deleting collections is rare; other actions are frequent.
    let level: Logger.Level = role == .admin ? .info : .debug
    guard logger.logLevel <= level else { return }
    var metadata: Logger.Metadata = [
      "call": "\(method.fullyQualifiedMethod)", "collection": "\(id)",
    ]
    if let version { metadata["version"] = "\(version)" }
    logger.log(level: level, "audit", metadata: metadata)
  }
}

extension LayoutProblem {
  init(_ failure: AuthenticationFailure) {
    guard case .tooManyFailures(let limit, let delay) = failure else {
      self = .unauthenticated(failure.description)
      return
    }
    self = .quotaExceeded(.credentials, limit: UInt64(clamping: limit), retryDelay: delay)
    message = failure.description
    metadata["scope"] = "address"
  }

  init(_ denial: AccessDenial) {
    switch denial {
    case .unauthenticated(let failure): self.init(failure)
    case .forbidden: self = .permissionDenied("The rights that this needs were taken back.")
    }
  }
}
