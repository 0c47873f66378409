// SPDX-License-Identifier: Apache-2.0

import CollectionStore
import LayoutTrust
import PostgreSQLStore

/// Whether a server could use its PostgreSQL database.
struct DatabaseCheck {
  let configuration: PostgreSQLConfiguration

  var findings: [Finding] {
    let review: DatabaseReview
    do { review = try DatabaseReview(configuration) } catch {
      // Says what to do as well.
      return [.error("--store: \(error)", "")]
    }
    return rights(review) + connections(review) + network(review) + durability(review)
  }

  private func rights(_ review: DatabaseReview) -> [Finding] {
    let place = "\(review.name), PostgreSQL \(review.version)"
    guard review.missingRights.isEmpty else {
      let missing = review.missingRights.joined(separator: "; ")
      return [
        .error(
          "\(place): the database user lacks rights: \(missing)",
          "grant them, or make the user the owner of the schema \(configuration.schema)"
        )
      ]
    }
    switch review.tables {
    case .missing: return [.ok("\(place): the tables will be created")]
    case .found(isOlder: false): return [.ok("\(place): has the tables of this version")]
    case .found(isOlder: true):
      return [
        .warning(
          "\(place): the tables are of an older version, and will be migrated",
          "make a backup; older servers cannot use them afterwards"
        )
      ]
    }
  }

  private func connections(_ review: DatabaseReview) -> [Finding] {
    let (free, needed) = (review.freeConnections, review.neededConnections)
    guard free < needed else { return [] }
    return [
      .warning(
        "\(review.name): \(free) connections are free, and a server opens \(needed)",
        "if no server of this configuration is running, raise max_connections, or the limit of the "
          + "role or the database"
      )
    ]
  }

  private func network(_ review: DatabaseReview) -> [Finding] {
    guard review.isExposed else { return [] }
    return [
      .warning(
        "\(review.name): contents go over the network unencrypted",
        "add sslmode=verify-full and sslrootcert to --store"
      )
    ]
  }

  private func durability(_ review: DatabaseReview) -> [Finding] {
    review.carelessSettings.map { name in
      .warning(
        "\(review.name): \(name) is off, so a crash of the database can lose acknowledged commits",
        "set \(name) = on"
      )
    }
  }
}
