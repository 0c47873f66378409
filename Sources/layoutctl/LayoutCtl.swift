// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import GRPCCore
import LayoutProtocol

@main
struct LayoutCtl: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "layoutctl",
    abstract: "Fills, asks, draws and watches a layout server.",
    discussion: """
      A server keeps collections (sections of items with sizes, and perhaps positions) and lays \
      them out for whoever looks. A first tour:

        layoutctl sample art --items 100000 --sections 40
        layoutctl list
        layoutctl query art --viewport 1024x768 --rect 0,0,1024,768
        layoutctl draw art --viewport 1024x768 --output art.svg
        layoutctl watch art --viewport 1024x768 --through --verify
        layoutctl gallery pictures

      Exit codes: 0 done; 1 refused, or watched elements were wrong; 64 wrong usage; 69 no server \
      was reached.
      """,
    version: "0.1.0",
    groupedSubcommands: [
      CommandGroup(
        name: "Collections",
        subcommands: [
          ImportCommand.self, SampleCommand.self, ListCommand.self, DescribeCommand.self,
          DeleteCommand.self, ApplyCommand.self, EditCommand.self, ExportCommand.self,
        ]
      ),
      CommandGroup(
        name: "Layouts",
        subcommands: [
          QueryCommand.self, DrawCommand.self, GalleryCommand.self, WatchCommand.self,
          LoadCommand.self,
        ]
      ),
    ]
  )

  static func main() async {
    Terminal.ignoreClosedPipes()
    do {
      var command = try parseAsRoot()
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
    } catch is OutputClosed {
      // Whoever read it has seen enough.
    } catch let error as CommandFault {
      Terminal.fail(error)
    } catch let error as LayoutProblem {
      Terminal.fail(CommandFault(error))
    } catch let error as RPCError {
      Terminal.fail(CommandFault(LayoutProblem(error)))
    } catch let error as RuntimeError {
      Terminal.fail(CommandFault("\(error.message)", status: .other))
    } catch {
      // Help and usage errors among others, which the parser knows how to tell.
      exit(withError: error)
    }
  }
}
