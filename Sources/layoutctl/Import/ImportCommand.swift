// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LayoutClient
import LayoutProtocol

struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Fills a collection from a CSV or JSON Lines file.",
    discussion: """
      Each row becomes an item. The first line of a CSV file names its columns; a JSON Lines file \
      has one object on each line, whose members are the columns. If the collection does not exist, \
      it is created; otherwise its contents are replaced as one update.

        layoutctl import artworks.csv --collection art --section artist \\
          --key accession --width width_mm --height height_mm \\
          --scale-height 120 --default-layout flow
        layoutctl import airports.csv --collection airports --key icao \\
          --x longitude --y latitude --default-layout \\
          '{"spatial":{"projection":"PROJECTION_WEB_MERCATOR","zoom":3}}'

      Without --section and --kind, rows are sent while the file is read. Of rows that were sent only \
      the keys stay in memory, to find those that repeat; without --key, nothing. With --section or \
      --kind, all used columns are first read into memory (about 20 bytes per row and its key), because \
      a section's rows may be anywhere in the file. Sections are ordered by their first row, and rows \
      keep the order of the file. Rows with an empty section go into the section "(none)".

      If a width or height is empty, the layout decides the size. If any row is wrong, nothing is \
      changed on the server, and a collection that was created for this import is deleted again. Of \
      an existing collection, --default-layout, --display-name and --share-measurements are set after \
      its contents.
      """
  )

  @Argument(help: "The file; \"-\" = standard input.")
  var file: String

  @Option(
    help: ArgumentHelp(
      "The collection to fill: a-z, 0-9, '.', '_' and '-', at most 63 characters.",
      valueName: "id"
    )
  )
  var collection: String

  @Option(help: "csv or jsonl; by default the file's extension decides, otherwise csv.")
  var format: Format?

  @Option(help: ArgumentHelp("The column of widths, in points.", valueName: "column"))
  var width: String?

  @Option(help: ArgumentHelp("The column of heights, in points.", valueName: "column"))
  var height: String?

  @Option(
    help: ArgumentHelp(
      "The column of x positions, for spatial layouts; of longitudes if the layout has a projection.",
      valueName: "column"
    )
  )
  var x: String?

  @Option(
    help: ArgumentHelp(
      "The column of y positions or latitudes, for spatial layouts.",
      valueName: "column"
    )
  )
  var y: String?

  @Option(
    help: ArgumentHelp(
      "The column of item keys, unique in the collection, at most 128 bytes each.",
      valueName: "column"
    )
  )
  var key: String?

  @Option(
    help: ArgumentHelp("The column that names each row's section.", valueName: "column")
  )
  var section: String?

  @Option(help: ArgumentHelp("The column of cell kinds.", valueName: "column"))
  var kind: String?

  @Option(
    help: ArgumentHelp(
      "A column that items carry for renderers, as a title or JSON. Given several times, items carry a JSON "
        + "object of these columns. By default at most 1,024 bytes for each item.",
      valueName: "column"
    )
  )
  var data: [String] = []

  @Option(
    help: ArgumentHelp(
      "Scale sizes of any unit so that every item has this height in points.",
      valueName: "points"
    ),
    transform: NumberArgument.parse
  )
  var scaleHeight: Double?

  @Option(
    help: ArgumentHelp(
      "The layout for viewers that do not name one. The default for a new collection is flow, or "
        + "spatial with --x and --y. \(LayoutArgument.help)",
      valueName: "layout"
    )
  )
  var defaultLayout: LayoutArgument?

  @Option(help: ArgumentHelp("The display name of the collection.", valueName: "text"))
  var displayName: String?

  @OptionGroup var sharing: SharingOptions

  @Flag(help: "Skip and count invalid rows instead of stopping at the first one.")
  var skipInvalid = false

  @OptionGroup var connection: ConnectionOptions

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case csv
    case jsonl
  }

  func validate() throws {
    if let scaleHeight,
      width == nil || height == nil || scaleHeight <= 0
    {
      throw ValidationError("--scale-height needs a number above 0, and --width and --height.")
    }
    guard (x == nil) == (y == nil) else {
      throw ValidationError("Give both --x and --y, or neither.")
    }
  }

  func run() async throws {
    let mapping = ColumnMapping(
      width: width,
      height: height,
      x: x,
      y: y,
      key: key,
      section: section,
      kind: kind,
      data: data,
      scaledHeight: scaleHeight
    )
    let target = TargetCollection(
      name: CollectionArgument.name(of: collection),
      displayName: displayName,
      layout: try defaultLayout?.spec(of: "--default-layout"),
      sharesMeasurements: sharing.shareMeasurements,
      newLayout: LayoutArgument(x == nil ? "flow" : "spatial")
    )
    let start = ContinuousClock.now
    let (result, invalid) = try await connection.connect { client in
      var mapping = mapping
      if !data.isEmpty, let limit = try await client.serverInfo().maxItemDataBytes {
        mapping.maxDataBytes = limit
      }
      // Checks the file and its columns before anything is created on the server.
      let rows = try ImportedRows(
        file: file,
        isJSON: isJSON,
        mapping: mapping,
        skipsInvalid: skipInvalid
      )
      let filled = try await target.fill(client: client) { try await send(rows, to: $0, client) }
      return (filled, await rows.invalidCount)
    }
    try Terminal.writeLine(result.summary(since: start, invalidRows: invalid))
  }

  private func send(
    _ rows: ImportedRows,
    to name: String,
    _ client: LayoutClient
  ) async throws -> Wire.Collection {
    if section == nil && kind == nil {
      return try await client.sendContents(to: name) { writer in
        try await rows.send(to: &writer)
      }
    }
    let table = try await rows.table()
    try await rows.confirmEnd()
    return try await client.sendContents(to: name, cellKindNames: table.kindNames) { writer in
      try await table.send(to: &writer)
    }
  }

  private var isJSON: Bool {
    if let format { return format == .jsonl }
    return [".jsonl", ".ndjson", ".json"].contains { file.hasSuffix($0) }
  }
}
