import Apus
import ToolOutput

/// A statement that a person gives to a command.
package enum StatementArgument {
  /// Returns the statement, which is read from the standard input if the argument is `-`.
  package static func sql(_ argument: String) throws -> SQL {
    SQL(unsafe: argument == "-" ? try InputFile.standardInputText() : argument)
  }
}
