// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import CollectionStore
import Foundation
import StoreTesting
import Testing
import TrustTesting
import X509

@testable import PostgreSQLStore

/// Databases that ask who connects, encrypt, or may only be read.
@Suite(
  "Databases with passwords, TLS and standbys",
  .enabled(if: PostgresInstance.isInstalled, "PostgreSQL is not installed"),
  .timeLimit(.minutes(3))
)
struct SecuredDatabaseTests {
  private func open(_ url: String, schema: String = "secured") throws {
    try PostgreSQLStorage(.init(url: url, schema: schema)).close()
  }

  private func fault(_ url: String) -> StorageFault? {
    do {
      try open(url)
      return nil
    } catch { return error as? StorageFault }
  }

  @Test("a password is asked for, and a wrong one is refused without being told")
  func passwords() throws {
    let instance = try PostgresInstance(
      preparation: """
        printf 'local all layout trust\\nlocal all all scram-sha-256\\n' >data/pg_hba.conf
        """
    )
    try instance.run("CREATE ROLE guarded LOGIN PASSWORD 'correct horse'")
    try instance.run("GRANT CREATE ON DATABASE postgres TO guarded")
    let url = "postgresql://guarded@/postgres?host=\(instance.folder)"
    let wrong = fault(url + "&password=hunter2")
    #expect(wrong?.kind == .unreachable)
    #expect(wrong?.description.contains("check user and password") == true)
    #expect(wrong?.description.contains("hunter2") == false)
    #expect(fault(url)?.description.contains("check user and password") == true)
    try open(url + "&password=correct%20horse")
  }

  @Test("TLS is verified: another authority, another name, and no TLS are refused")
  func encryption() throws {
    let (authority, stranger) = (try TestAuthority(), try TestAuthority("stranger"))
    let certificate = try authority.issue([.dnsName("localhost")], for: .server)
    let folder = try TemporaryFolder()
    let trusted = try folder.write(authority.pem, to: "authority.pem")
    let untrusted = try folder.write(stranger.pem, to: "stranger.pem")
    let port = UInt16.random(in: 20_000 ... 30_000)
    let instance = try PostgresInstance(
      preparation: """
        cat >data/server.crt <<'PEM'
        \(certificate.pem)
        PEM
        cat >data/server.key <<'PEM'
        \(certificate.key)
        PEM
        chmod 600 data/server.key
        [ -z "$as" ] || chown postgres data/server.key data/server.crt
        echo 'hostssl all all 127.0.0.1/32 trust' >>data/pg_hba.conf
        sed -i 's/^host /#host /' data/pg_hba.conf
        """,
      options: "-p \(port) -c listen_addresses=127.0.0.1 -c ssl=on"
    )
    func url(_ host: String, _ parameters: String) -> String {
      "postgresql://layout@\(host):\(port)/postgres?hostaddr=127.0.0.1&\(parameters)"
    }
    try open(url("localhost", "sslmode=verify-full&sslrootcert=\(trusted)"))
    try open(url("localhost", "sslmode=require"))
    let refused = [
      url("localhost", "sslmode=verify-full&sslrootcert=\(untrusted)"),
      url("elsewhere", "sslmode=verify-full&sslrootcert=\(trusted)"),
    ]
    for url in refused {
      let fault = fault(url)
      #expect(fault?.kind == .unreachable)
      #expect(fault?.description.contains("check sslmode") == true, "\(String(describing: fault))")
    }
    #expect(fault(url("localhost", "sslmode=disable"))?.kind == .unreachable)
    withExtendedLifetime(instance) {}
  }

  @Test("a standby is refused with what to name instead, and found out among several hosts")
  func standby() async throws {
    let primary = try PostgresInstance()
    let standby = try PostgresInstance(of: primary)
    let found = fault(standby.url)
    #expect(found?.kind == .readOnly)
    #expect(found?.description.contains("name the primary") == true, "\(String(describing: found))")
    let both =
      "postgresql://layout@/postgres?host=\(standby.folder),\(primary.folder)"
      + "&target_session_attrs=read-write"
    let storage = try PostgreSQLStorage(.init(url: both, schema: "secured"))
    defer { storage.close() }
    let registry = CollectionRegistry(storage: storage, codec: TestCodec())
    try await registry.load()
    let collection = try await registry.create(
      CollectionRecord(id: "a"),
      contents: TestCodec.contents([[1]])
    )
    try await collection.commit(.append(1))
    #expect(try primary.run("SELECT data_version FROM secured.collection") == "1")
  }
}
