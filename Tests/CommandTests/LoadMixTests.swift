// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import layoutctl

@Suite("Load mix", .timeLimit(.minutes(2)))
struct LoadMixTests {
  @Test("reads names with weights, and a name alone as weight 1")
  func parsing() throws {
    let mix = try LoadMix(parsing: "reader=70,flinger=2.5,idler")
    #expect(
      mix.shares == [
        .init(behaviour: .reader, weight: 70), .init(behaviour: .flinger, weight: 2.5),
        .init(behaviour: .idler, weight: 1),
      ]
    )
    #expect(try LoadMix(parsing: mix.text) == mix)
  }

  @Test(
    "refuses what is no mix, and says which part",
    arguments: ["", "reader=", "reader=0", "reader=-1", "writer=1", "reader=nan", "reader,"]
  )
  func faults(_ text: String) {
    #expect(throws: CommandFault.self) { try LoadMix(parsing: text) }
  }

  @Test("refuses a behaviour that is named twice")
  func duplicates() {
    #expect(throws: CommandFault("reader is named twice", status: .usage)) {
      try LoadMix(parsing: "reader=1,reader=2")
    }
  }

  @Test("gives exact counts where weights are counts", arguments: [(999, 1), (1, 1), (7, 13)])
  func exactCounts(_ idlers: Int, _ editors: Int) throws {
    let mix = try LoadMix(parsing: "idler=\(idlers),editor=\(editors)")
    let behaviours = mix.behaviours(count: idlers + editors)
    #expect(behaviours.count { $0 == .editor } == editors)
    #expect(behaviours.count == idlers + editors)
  }

  @Test("mixes every run of streams like the whole")
  func evenness() {
    let behaviours = LoadMix.standard.behaviours(count: 1000)
    for start in stride(from: 0, to: 1000, by: 100) {
      let run = behaviours[start ..< start + 100]
      #expect((68 ... 72).contains(run.count { $0 == .reader }))
      #expect((8 ... 12).contains(run.count { $0 == .editor }))
    }
    #expect(LoadMix.standard.behaviours(count: 0).isEmpty)
  }
}
