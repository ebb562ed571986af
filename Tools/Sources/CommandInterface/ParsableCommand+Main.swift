import Apus
import ArgumentParser
import Foundation
import ToolOutput

extension ParsableCommand {
  /// Parses the arguments and runs the command. If this throws an error, ends the program with the
  /// error's message and exit status.
  ///
  /// - Parameter arguments: the arguments; if nil, the arguments of the program.
  package static func runMain(_ arguments: [String]? = nil) async {
    Interruption.catch()
    do {
      var command = try parseAsRoot(arguments)
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
      Interruption.finish()
    } catch {
      Interruption.finish()
      end(with: error)
    }
  }

  /// Ends the program with a message about its arguments.
  package static func endForArguments(_ message: String) -> Never {
    ErrorOutput.write("\(configuration.commandName ?? "error"): \(message)")
    exit(withError: ExitStatus.usage)
  }

  private static func end(with error: any Error) -> Never {
    switch exitCode(for: error) {
    // The user asked for help or for the version, or a command ended with status 0.
    case .success: exit(withError: error)
    case .validationFailure:
      ErrorOutput.write(fullMessage(for: error))
      exit(withError: ExitStatus.usage)
    default:
      if let status = error as? ExitCode { exit(withError: status) }
      let name = configuration.commandName ?? "error"
      if Interruption.isRequested {
        let failure = error as? Interruption.Failure ?? Interruption.Failure()
        ErrorOutput.write("\(name): \(failure)")
        exit(withError: ExitCode(Interruption.status))
      }
      let message = (error as? DatabaseError)?.inWords ?? "\(error)"
      ErrorOutput.write("\(name): \(message)")
      exit(withError: ExitStatus.failure)
    }
  }
}

extension DatabaseError {
  /// The message of the error. If SQLite reported the position of a mistake, the user's SQL follows
  /// the message. If the SQL is a single line, a mark below it points to the mistake.
  fileprivate var inWords: String {
    var error = self
    if offset == nil { error.sql = nil }
    // The text after the last semicolon is removed if it quotes code, because such advice is meant
    // for programmers.
    if let advice = message.range(of: "; ", options: .backwards),
      message[advice.upperBound...].contains("`")
    {
      error.message = String(message[..<advice.lowerBound])
    }
    error.valueCount = 0
    let prefix = "SQLite error \(code.rawValue): "
    let text = "\(error)"
    return text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text
  }
}
