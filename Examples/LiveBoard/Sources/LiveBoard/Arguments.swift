/// The arguments of the program.
struct Arguments: Equatable {
  static let usage = """
    LiveBoard shows a task board in the browser, and every change of it at once.

    Usage: LiveBoard [FILE] [--port NUMBER]
      FILE           the database, board.sqlite by default; a new one gets sample data
      --port NUMBER  the port on this machine; 8080 by default, 0 for any that is free
      --help         shows this text

    Control-C stops it.
    """

  var path = "board.sqlite"
  var port = 8_080
  var wantsHelp = false

  init(_ arguments: some Sequence<String>) throws(ArgumentError) {
    var rest = Array(arguments)[...]
    var hasPath = false
    while let argument = rest.popFirst() {
      switch argument {
      case "--help", "-h":
        wantsHelp = true
      case "--port":
        guard let text = rest.popFirst(), let number = Int(text), (0...65_535).contains(number)
        else {
          throw ArgumentError(description: "--port needs a number from 0 to 65535; see --help")
        }
        port = number
      case _ where argument.hasPrefix("-"):
        throw ArgumentError(description: "there is no option \(argument); see --help")
      case _ where hasPath:
        throw ArgumentError(description: "there are two files, \(path) and \(argument); see --help")
      default:
        path = argument
        hasPath = true
      }
    }
  }
}

struct ArgumentError: Error, Equatable, CustomStringConvertible {
  var description: String
}
