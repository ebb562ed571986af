import Apus
import Foundation
import Logging
import NIOCore

/// Starts the board: `LiveBoard [FILE] [--port NUMBER]`.
@main
struct Program {
  static func main() async {
    do {
      let arguments = try Arguments(CommandLine.arguments.dropFirst())
      if arguments.wantsHelp {
        write(Arguments.usage, to: .standardOutput)
      } else {
        try await serve(arguments)
      }
    } catch {
      write("LiveBoard: \(StartFailure.line(error))", to: .standardError)
      exit(1)
    }
  }

  private static func serve(_ arguments: Arguments) async throws {
    var logger = Logger(label: "LiveBoard")
    logger.logLevel = .warning
    let board = try await StartFailure.naming(arguments.path) {
      let board = try Board(path: arguments.path)
      try await board.trimLog()
      try await board.addSampleIfEmpty()
      return board
    }
    do {
      try await BoardServer(board: board, logger: logger).run(port: arguments.port) { port in
        write(
          """
          The board is open. Show it in a browser, or in two: http://localhost:\(port)
          Change it from a shell: sqlite3 \(arguments.path) \
          "UPDATE Card SET title = 'Hello' WHERE title LIKE 'Search%'"
          Stop it with Control-C.
          """, to: .standardOutput)
      }
    } catch let error as IOError {
      throw StartFailure(port: arguments.port, errno: error.errnoCode)
    }
    try await board.db.close()
  }

  /// Writes a text at once. `print` would buffer the lines if the output is a pipe.
  private static func write(_ text: String, to file: FileHandle) {
    file.write(Data((text + "\n").utf8))
  }
}

/// The reason why the board cannot be started, as one line of text.
struct StartFailure: Error, Equatable {
  var reason: String

  /// The failure to listen on a port.
  init(port: Int, errno code: CInt) {
    reason =
      switch code {
      case EADDRINUSE:
        "the port \(port) is in use, perhaps by another board; choose another one with --port NUMBER"
      case EACCES:
        "the port \(port) is reserved for the system; choose one above 1023 with --port NUMBER"
      default: "the port \(port) cannot be opened: \(String(cString: strerror(code)))"
      }
  }

  private init(path: String, _ error: any Error) {
    switch error {
    case let error as DatabaseError where error.code.primary == .notADatabase:
      reason = "\(path) is not an SQLite database"
    // The message of such an error already begins with the path of the file.
    case let error as DatabaseError: reason = error.message
    default: reason = "\(path): \(error)"
    }
  }

  /// Runs a closure that uses a file. If it throws, throws a `StartFailure` whose reason names the
  /// file.
  static func naming<Result>(
    _ path: String, _ body: () async throws -> Result
  ) async throws -> Result {
    do { return try await body() } catch { throw StartFailure(path: path, error) }
  }

  /// Returns the reason why the program ends, as one line of text.
  static func line(_ error: any Error) -> String {
    let text = (error as? StartFailure)?.reason ?? "\(error)"
    return text.split(whereSeparator: \.isNewline).map { $0.drop(while: \.isWhitespace) }
      .joined(separator: " ")
  }
}
