import Apus
import Foundation

/// The blocks that run after a block.
struct Next {
  let run: () async throws -> Next?
}

/// Marks in the output where a block begins.
func beginBlock(_ index: Int) { print("\u{1}begin \(index)") }

/// Marks in the output where a block ends.
func endBlock() { print("\u{1}end") }

/// Returns false, which the compiler does not know.
func isNeverTrue() -> Bool { CommandLine.arguments.isEmpty }

/// Prints what a query becomes, if that is not what its page shows.
func checkSQL(_ place: String, _ shown: String, _ sql: () throws -> String) {
  do {
    print("\u{1}claim \(place)")
    print(shown)
    // If the query ends the program, this is known.
    fflush(nil)
    print(try sql().split(whereSeparator: \.isWhitespace).joined(separator: " "))
  } catch {
    print("throws \(error)")
  }
}

/// Makes the elements of the schema of a view.
func viewSchema(
  @SchemaBuilder<AuthorName> _ elements: () -> Schema<AuthorName>
) -> Schema<AuthorName> { elements() }

/// Makes the elements of a schema, which the examples show without the property around them.
func schema(@SchemaBuilder<Post> _ elements: () -> Schema<Post>) -> Schema<Post> { elements() }
