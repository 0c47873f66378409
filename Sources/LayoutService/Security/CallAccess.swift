// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore
internal import LayoutProtocol
internal import LayoutTrust
internal import Logging

/// What one call may do. On a server without identities that is everything.
///
/// What a caller may not see does not exist for him: it is refused by its name alone, before anything is
/// looked up, so that neither words nor time tell whether it is there.
struct CallAccess: Sendable {
  /// nil = the server has no identities.
  private let access: Access?
  /// Where to log what is done, if nobody knows by whom; nil = nowhere.
  private let anonymous: (logger: Logger, method: MethodDescriptor)?

  /// Everything is allowed.
  static let open = CallAccess(access: nil, anonymous: nil)

  private init(access: Access?, anonymous: (Logger, MethodDescriptor)?) {
    self.access = access
    self.anonymous = anonymous
  }

  /// What an authenticated caller may do.
  init(_ access: Access) { self.init(access: access, anonymous: nil) }

  /// Everything is allowed to everybody.
  ///
  /// - Parameters:
  ///   - method: of the call, for the log.
  ///   - logger: is told what is done.
  static func open(_ method: MethodDescriptor, logger: Logger) -> CallAccess {
    CallAccess(access: nil, anonymous: (logger, method))
  }

  /// Whose sessions the call may resume and ask about; nil = there are no identities.
  var owner: String? { access?.owner }

  /// How much the policy allows the caller to use.
  var quotas: IdentityQuotas { access?.quotas ?? IdentityQuotas() }

  // MARK: - Rights

  /// - Throws: UNAUTHENTICATED or PERMISSION_DENIED once the call may no longer go on.
  func throwIfDenied() throws(LayoutProblem) {
    if let denial = access?.denial { throw LayoutProblem(denial) }
  }

  /// - Throws: PERMISSION_DENIED for a caller without any role.
  func requireRights() throws(LayoutProblem) {
    guard let access, !access.hasRights else { return }
    try throwIfDenied()
    access.auditRefusal(.view, on: "")
    throw .permissionDenied("No role is given to this identity.")
  }

  /// Whether the caller has a role.
  ///
  /// - Parameter id: of the collection.
  func allows(_ role: Role, on id: String) -> Bool { access?.allows(role, on: id) ?? true }

  /// Whether the caller has a role on every collection, whatever its name.
  func allowsEverywhere(_ role: Role) -> Bool { access?.allowsEverywhere(role) ?? true }

  /// What the identifiers begin with of all collections on which the caller has a role, sorted; none begins
  /// with another one.
  func beginnings(_ role: Role) -> [String] { access?.beginnings(role) ?? [""] }

  /// Checks that the caller has a role, which the call then needs until it ends.
  ///
  /// - Parameter id: of the collection, which need not exist.
  /// - Throws: COLLECTION_NOT_FOUND for what the caller may not see; PERMISSION_DENIED.
  func require(_ role: Role, on id: String) throws(LayoutProblem) {
    guard let access else { return }
    try throwIfDenied()
    guard !access.hold(role, on: id) else { return }
    throw refusal(of: role, on: id, access)
  }

  /// Checks that the caller has a role at this moment.
  ///
  /// - Parameter id: of the collection, which need not exist.
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

  /// Checks that the caller may create a collection. The answer is the same whether or not there is one of
  /// that name.
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

  /// Calls `observer` once the call may no longer go on; nil = nobody wants to know. It must return at once.
  func onDenial(_ observer: (@Sendable (LayoutProblem) -> Void)?) {
    guard let observer else {
      access?.onDenial(nil)
      return
    }
    access?.onDenial { observer(LayoutProblem($0)) }
  }

  /// Goes on with another token of the same identity.
  ///
  /// - Throws: UNAUTHENTICATED; nothing changes then.
  func renew(token: String) async throws(LayoutProblem) {
    guard let access else { return }
    do throws(AuthenticationFailure) { try await access.renew(token: token) } catch {
      throw LayoutProblem(error)
    }
  }

  // MARK: - The log

  /// Notes what was done in the audit log.
  ///
  /// - Parameters:
  ///   - version: of the collection, afterwards.
  ///   - lasts: whether it goes on for a while, as a stream does.
  func audit(_ role: Role, on id: String, version: UInt64? = nil, lasts: Bool = false) {
    if let access { return access.audit(role, on: id, version: version, lasts: lasts) }
    guard let (logger, method) = anonymous else { return }
    // Collections that come and go are rare; what is done to them is not.
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
