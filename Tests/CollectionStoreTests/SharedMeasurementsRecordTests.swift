// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CollectionStore

@Suite("Records of collections that share measurements", .timeLimit(.minutes(1)))
struct SharedMeasurementsRecordTests {
  @Test(
    "are read as they were written, with or without owner and layouts",
    arguments: [false, true],
    ["", "somebody"]
  )
  func coding(sharesMeasurements: Bool, owner: String) throws {
    for layouts in [[], [NamedLayout(id: "rows", layout: [1, 2, 3])]] {
      var record = CollectionRecord(
        id: "a",
        displayName: "A",
        labels: ["k": "v"],
        defaultLayout: [7],
        sharesMeasurements: sharesMeasurements,
        owner: owner
      )
      record.layouts = layouts
      let read = try CollectionRecord(
        id: "a",
        columns: record.columns,
        checksum: record.columnsChecksum,
        description: (record.fields, CollectionRecord.fieldsChecksum(record.fields, id: "a"))
      )
      #expect(read == record)
    }
  }

  @Test("are written as before where nothing is shared")
  func compatible() {
    let record = CollectionRecord(id: "a")
    // Display name, labels, and no default layout.
    #expect(record.fields == Array(repeating: 0, count: 12))
  }
}
