import Foundation

/// The `sqlite3` shell: a process that uses a database file without the library.
public struct SQLiteShell: Sendable {
  /// The shell of this machine; nil if none is installed.
  public static let installed = ["/usr/bin/sqlite3", "/usr/local/bin/sqlite3"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }
    .map { SQLiteShell(path: $0) }

  private let path: String

  /// Runs a script on a database file, and returns what it printed. The script ends at its first
  /// error, which is thrown.
  public func run(_ script: String, on file: String) throws -> String {
    let process = Process()
    let (output, errors) = (Pipe(), Pipe())
    process.executableURL = URL(filePath: path)
    process.arguments = ["-bail", file, script]
    // The shell needs the SQLite that it was built for, whichever the tests run on.
    process.environment = ProcessInfo.processInfo.environment.filter { $0.key != "LD_LIBRARY_PATH" }
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let problem = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw ShellError(problem: problem) }
    return text
  }

  /// An error that the shell printed.
  public struct ShellError: Error {
    /// The text.
    public let problem: String
  }
}
