import ArgumentParser
import Foundation
import ToolOutput

extension ParsableCommand {
  /// Parses the arguments of the program, runs the command, and ends the program with the message
  /// and the exit status of an error.
  package static func runMain() async {
    do {
      var command = try parseAsRoot()
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
    } catch {
      end(with: error)
    }
  }

  private static func end(with error: any Error) -> Never {
    switch exitCode(for: error) {
    // A request for help, or an exit status of a command.
    case .success: exit(withError: error)
    case .validationFailure:
      ErrorOutput.write(fullMessage(for: error))
      exit(withError: ExitStatus.usage)
    default:
      if let status = error as? ExitCode { exit(withError: status) }
      ErrorOutput.write("\(configuration.commandName ?? "error"): \(error)")
      exit(withError: ExitStatus.failure)
    }
  }
}
