// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import GRPCCore
import LayoutClient
import LayoutService
import Testing

@testable import layoutctl

@Suite("Suggestions and completion", .timeLimit(.minutes(1)))
struct SuggestionTests {
  @Test("distances count insertions, deletions, replacements and exchanges")
  func distances() {
    #expect(NameSuggestion.distance("", "abc") == 3)
    #expect(NameSuggestion.distance("art", "art") == 0)
    #expect(NameSuggestion.distance("artworks", "artowrks") == 1)
    #expect(NameSuggestion.distance("kitten", "sitting") == 3)
  }

  @Test("the closest name is suggested, if it is close")
  func closest() {
    let names = ["airports", "artworks", "artwork-2"]
    #expect(NameSuggestion.closest(to: "artwork", in: names) == "artworks")
    #expect(NameSuggestion.closest(to: "Airprots", in: names) == "airports")
    #expect(NameSuggestion.closest(to: "chat", in: names) == nil)
    #expect(NameSuggestion.closest(to: "artworks", in: ["artworks"]) == nil)
  }

  @Test("names that are longer than any name are not compared")
  func long() {
    let long = String(repeating: "a", count: 3000)
    #expect(NameSuggestion.closest(to: long + "b", in: [long + "c"]) == nil)
    #expect(NameSuggestion.closest(to: "art", in: [long, "arts"]) == "arts")
  }

  @Test("of a command line, completion takes the options that say which server is meant")
  func options() {
    #expect(
      CollectionCompletion.options(in: [
        "layoutctl", "draw", "--server", "h:1", "--layout", "list", "--tls", "--token-file=t", "a",
      ]) == ["--server", "h:1", "--tls", "--token-file=t"]
    )
  }

  @Test("completion names what begins with the word, and nothing where no server is")
  func completion() async {
    let none = await CollectionCompletion.names(["--server", "127.0.0.1:1"], prefix: "")
    #expect(none.isEmpty)
  }
}
