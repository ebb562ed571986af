/// The error of a failed command, as a sentence for users.
package struct ReadableError: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

extension Int {
  /// Returns a sentence about a number of rows, such as `1 row was imported`.
  package func rows(_ verb: String) -> String {
    self == 1 ? "1 row was \(verb)" : "\(self) rows were \(verb)"
  }
}

extension String {
  /// The name as it is written in a message: `""` if the name is empty.
  package var orQuotes: String { isEmpty ? "\"\"" : self }
}
