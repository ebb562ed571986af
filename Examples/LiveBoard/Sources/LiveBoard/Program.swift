import Apus
import Foundation
import Logging

/// Starts the board: `LiveBoard [FILE] [--port NUMBER]`.
@main
struct Program {
  static func main() async throws {
    let arguments: Arguments
    do {
      arguments = try Arguments(CommandLine.arguments.dropFirst())
    } catch {
      FileHandle.standardError.write(Data("\(error)\n\n\(Arguments.usage)\n".utf8))
      exit(2)
    }
    var logger = Logger(label: "LiveBoard")
    logger.logLevel = .warning
    let board = try Board(path: arguments.path)
    try await board.trimLog()
    try await board.addSampleIfEmpty()
    try await BoardServer(board: board, logger: logger).run(port: arguments.port) { port in
      // Not `print`, which would keep the lines back if the output is a pipe.
      FileHandle.standardOutput.write(
        Data(
          """
          The board is open. Show it in a browser, or in two: http://localhost:\(port)
          Change it from a shell: sqlite3 \(arguments.path) \
          "UPDATE Card SET title = 'Hello' WHERE title LIKE 'Search%'"
          Stop it with Control-C.

          """.utf8))
    }
    try board.db.close()
  }
}
