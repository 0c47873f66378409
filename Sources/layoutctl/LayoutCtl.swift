// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CBuildVersion
import GRPCCore
import LayoutProtocol

@main
struct LayoutCtl: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "layoutctl",
    abstract: "Imports, edits, queries, draws and watches collections of a layout server.",
    discussion: """
      A layout server stores collections, which are sections of items with sizes or positions, and \
      computes their layout for viewers. A first tour:

        layoutctl sample art --items 100000 --sections 40
        layoutctl list
        layoutctl query art --viewport 1024x768 --rect 0,0,1024,768
        layoutctl draw art --viewport 1024x768 --output art.svg
        layoutctl watch art --viewport 1024x768 --through --verify
        layoutctl gallery pictures

      Exit codes: 0 success; 1 the server refused the request, a threshold of load was missed, \
      elements were wrong, or a token command gave no token; 64 wrong usage; 69 the server could not \
      be reached.
      """,
    version: unsafe String(cString: layout_build_version()),
    groupedSubcommands: [
      CommandGroup(
        name: "Collections",
        subcommands: [
          ImportCommand.self, SampleCommand.self, ListCommand.self, DescribeCommand.self,
          DeleteCommand.self, ApplyCommand.self, EditCommand.self, MoveCommand.self,
          TransferCommand.self, ExportCommand.self, LayoutsCommand.self,
        ]
      ),
      CommandGroup(
        name: "Layouts",
        subcommands: [
          QueryCommand.self, NeighborCommand.self, RestCommand.self, ScrubCommand.self,
          DrawCommand.self, GalleryCommand.self, WatchCommand.self, LoadCommand.self,
        ]
      ),
      CommandGroup(
        name: "Operating",
        subcommands: [
          InfoCommand.self, UICommand.self,
          SessionsCommand.self, KickCommand.self, TopCommand.self, SizesCommand.self,
          ProviderCommand.self,
          BackupCommand.self, DoctorCommand.self, ContextsCommand.self,
        ]
      ),
    ]
  )

  /// Allows options of the connection before the command, where users expect them: `layoutctl
  /// --context production list`.
  static func connectionLast(_ arguments: [String]) -> [String] {
    var count = 0
    while count < arguments.count {
      let word = arguments[count]
      if word == "--tls"
        || CollectionCompletion.valued.contains(where: { word.hasPrefix($0 + "=") })
      {
        count += 1
      } else if CollectionCompletion.valued.contains(word) {
        count += 2
      } else {
        break
      }
    }
    guard count > 0, arguments.count > count else { return arguments }
    var rest = Array(arguments.dropFirst(count))
    // Arguments after "--" are not options.
    let end = rest.firstIndex(of: "--") ?? rest.count
    rest.insert(contentsOf: arguments.prefix(count), at: end)
    return rest
  }

  /// The error for a command that does not exist; nil = it exists, or there is none.
  static func fault(inCommandOf arguments: [String]) -> CommandFault? {
    var commands =
      configuration.subcommands + configuration.groupedSubcommands.flatMap(\.subcommands)
    var path = ["layoutctl"]
    for word in arguments {
      guard !commands.isEmpty, !word.hasPrefix("-"), word != "help" else { return nil }
      let names = commands.map { $0._commandName }
      guard let index = names.firstIndex(of: word) else {
        // The first argument of a default command may be in this place.
        guard let close = NameSuggestion.closest(to: word, in: names) else { return nil }
        return CommandFault(
          "\"\(word)\" is no command of \(path.joined(separator: " ")). Did you mean \"\(close)\"?",
          status: .usage
        )
      }
      path.append(word)
      commands = commands[index].configuration.subcommands
    }
    return nil
  }

  static func main() async {
    Terminal.ignoreClosedPipes()
    do {
      let arguments = connectionLast(Array(CommandLine.arguments.dropFirst()))
      if let fault = fault(inCommandOf: arguments) { throw fault }
      Interruption.shared.trap()
      // An error that follows from a signal is not reported.
      defer { Interruption.shared.endIfReceived() }
      var command = try parseAsRoot(arguments)
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
    } catch is OutputClosed {
      // The reader closed the pipe.
    } catch let code as ExitCode {
      // The command has said why.
      exit(withError: code)
    } catch let error as CommandFault {
      Terminal.fail(error)
    } catch let error as LayoutProblem {
      Terminal.fail(CommandFault(error))
    } catch let error as RPCError {
      Terminal.fail(CommandFault(LayoutProblem(error)))
    } catch let error as RuntimeError {
      Terminal.fail(CommandFault("\(error.message)", status: .other))
    } catch {
      // The parser reports help requests and usage errors; what it does not know may have been
      // caused by a server, and contain what a terminal should not get.
      guard exitCode(for: error) == .failure else { exit(withError: error) }
      Terminal.fail(CommandFault("\(error)"))
    }
  }
}
