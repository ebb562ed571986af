import Apus
import Foundation

/// A program that keeps a shopping list in a file, and exchanges its changes with another such
/// file.
@main
struct Program {
  static let help = """
    Exchange FILE add NAME [COUNT]     adds an item
    Exchange FILE rename NAME TO       renames an item
    Exchange FILE count NAME COUNT     sets how many to buy
    Exchange FILE buy NAME             notes that an item was bought
    Exchange FILE remove NAME          removes an item
    Exchange FILE show                 shows the list
    Exchange FILE wait SOCKET          waits for another file, and exchanges the changes with it
    Exchange FILE connect SOCKET       connects to the one that waits
    Exchange FILE compare OTHER        fails if the lists differ

    """

  static func main() {
    // Without this, the process would be ended by SIGPIPE if it writes to a connection whose other
    // side is closed. With it, the write throws an error.
    signal(SIGPIPE, SIG_IGN)
    do {
      var arguments = CommandLine.arguments.dropFirst()
      guard let path = arguments.popFirst(), let command = arguments.popFirst() else {
        return print(help, terminator: "")
      }
      try List(path: path).run(command, Array(arguments))
    } catch {
      FileHandle.standardError.write(Data("error: \(error)\n".utf8))
      exit(1)
    }
  }
}

/// The error that is thrown if a command is not known, or if two lists differ.
enum CommandError: Error, CustomStringConvertible {
  case unknown(String)
  case differs(String, String)

  var description: String {
    switch self {
    case .unknown(let command): "\(command): no such command, or it lacks arguments"
    case .differs(let first, let second): "\(first) and \(second) differ"
    }
  }
}
