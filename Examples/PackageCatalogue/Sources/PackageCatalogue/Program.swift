import Foundation

/// The package catalogue: reads Debian packages into a database and shows what Apus does with it.
@main
struct Program {
  static func main() async {
    // The reader of the output may stop, as `head` does; the temporary folder is removed
    // nevertheless.
    signal(SIGPIPE, SIG_IGN)
    let console = Console()
    do {
      let arguments = try Arguments(CommandLine.arguments.dropFirst())
      guard !arguments.wantsHelp else { return console.show(Arguments.help) }
      try await Demo(arguments: arguments).run()
    } catch {
      console.note("error: \(error)")
      exit(1)
    }
  }
}
