/// A failure of a command, in words.
package struct ReadableError: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}
