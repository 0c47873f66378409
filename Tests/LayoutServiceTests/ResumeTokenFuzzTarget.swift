// SPDX-License-Identifier: Apache-2.0

import CollectionStore
import LayoutProtocol

@testable import LayoutService

/// Resume tokens from any bytes: as they come from a client, and as this server would have signed
/// them.
package enum ResumeTokenFuzzTarget {
  private static let start = CollectionTime(seconds: 1_000_000)
  private static let lifetime: Int64 = 60

  private static func signer(after seconds: Int64 = 0, secret: String = "own") -> ResumeTokenSigner
  {
    ResumeTokenSigner(secret: secret, storeSecret: [], lifetime: .seconds(lifetime)) {
      CollectionTime(seconds: start.seconds + seconds)
    }
  }

  /// Runs what the bytes say: where to damage what is signed, and a token.
  ///
  /// - Parameter messages: grows by one for each token that was given to the signer.
  /// - Returns: what is wrong; nil when nothing is. A trap is wrong too.
  package static func run(_ bytes: [UInt8], messages: inout Int) -> String? {
    messages += 1
    if reason(of: bytes, by: signer()) != .resumeTokenInvalid {
      return "a token that nobody signed was not refused as such"
    }
    guard let token = ResumeToken(bytes: bytes.dropFirst(3)) else { return nil }
    // Names of this server are shorter; longer ones are cut.
    guard token.session.utf8.count <= 200, token.collection.utf8.count <= 200 else { return nil }
    if token.bytes != Array(bytes.dropFirst(3)) { return "\(token) has other bytes" }
    return fault(signing: token, damage: bytes.prefix(3), messages: &messages)
  }

  private static func fault(
    signing token: ResumeToken,
    damage: ArraySlice<UInt8>,
    messages: inout Int
  ) -> String? {
    let signed = signer().sign(token)
    messages += 4
    if signed.count > ResumeToken.byteLimit { return "a token of \(signed.count) bytes" }
    do throws(LayoutProblem) {
      var expected = token
      expected.expiry = start.seconds + lifetime
      let found = try signer(after: lifetime - 1).verify(signed)
      if found != expected { return "\(found) instead of \(expected)" }
    } catch { return "its own token was refused: \(error)" }
    if reason(of: signed, by: signer(after: lifetime)) != .sessionExpired {
      return "an old token was not refused as such"
    }
    if reason(of: signed, by: signer(secret: "another")) != .resumeTokenInvalid {
      return "another server's token was not refused as such"
    }
    var damaged = signed
    let place = damage.prefix(2).reduce(0) { $0 << 8 | Int($1) } % damaged.count
    damaged[place] ^= max(1, damage.last ?? 1)
    if reason(of: damaged, by: signer()) != .resumeTokenInvalid {
      return "a token with another byte at \(place) was not refused as such"
    }
    return nil
  }

  /// Why the token is refused; nil where it is not.
  private static func reason(
    of signed: [UInt8],
    by signer: ResumeTokenSigner
  ) -> LayoutProblem.Reason? {
    do throws(LayoutProblem) {
      _ = try signer.verify(signed)
      return nil
    } catch { return error.reason }
  }
}
