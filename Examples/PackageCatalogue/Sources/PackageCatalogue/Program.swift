import Foundation

/// The package catalogue: reads Debian packages into a database and shows what Apus does with it.
@main
struct Program {
  static func main() async {
    // The program that reads the output may end first, as `head` does. Without this, SIGPIPE would
    // then end this process before it removes its temporary folder.
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
