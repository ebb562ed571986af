import SQLCore

/// An exchange of names: `Renamed` elements of a schema that form a circle, such as
/// `Renamed(\.$a, from: "b")` with `Renamed(\.$b, from: "a")`.
///
/// The names are the same before and after the exchange, so the tables do not show whether it has
/// run. A note in the database records that the exchange has run. The key of the note is made of
/// all names of the circle.
package struct Exchange {
  /// The renamings of the circle. The `from` of each renaming is the `name` of the next one. The
  /// `from` of the last renaming is the `name` of the first.
  package let lines: [(name: String, from: String)]
  /// The name of the note in the database.
  package let key: String
  /// The keys that the note may have if the table had a former name when this exchange of columns
  /// ran. There is one key for each former name of the table.
  package var formerKeys: [String] = []

  /// The temporary name that the first column or table of the circle gets. Its own name is then
  /// free for the next renaming.
  package static let room = "apus_exchanged"

  /// The renamings in the order in which they run, including those to and from the temporary name.
  package var renamings: [(name: String, from: String)] {
    guard let first = lines.first, let last = lines.last else { return [] }
    return [(name: Self.room, from: first.name)] + lines.dropLast()
      + [(name: last.name, from: Self.room)]
  }

  private init(_ lines: [(name: String, from: String)], of owner: String) {
    self.lines = lines
    // The words are sorted, so that the key does not depend on where the circle begins.
    let words = lines.map { "\($0.name.lowercasedASCII) from \($0.from.lowercasedASCII)" }.sorted()
    key = "exchanged \(owner): \(words.joined(separator: ", "))"
  }

  package static func ofColumns(_ table: TableDefinition) -> [Exchange] {
    circles(in: table.renamedColumns).map { lines in
      var exchange = Exchange(lines, of: table.name.lowercasedASCII)
      exchange.formerKeys = table.formerNames.map { Exchange(lines, of: $0.lowercasedASCII).key }
      return exchange
    }
  }

  package static func ofTables(_ tables: [TableDefinition]) -> [Exchange] {
    let lines = tables.flatMap { table in
      table.formerNames.map { (name: table.name, from: $0) }
    }
    return circles(in: lines).map { Exchange($0, of: "tables") }
  }

  private static func circles(
    in lines: [(name: String, from: String)]
  ) -> [[(name: String, from: String)]] {
    var rest = lines
    var circles: [[(name: String, from: String)]] = []
    while let start = rest.first {
      rest.removeFirst()
      var circle = [start]
      while let last = circle.last, !last.from.isSame(as: start.name),
        let index = rest.firstIndex(where: { line in
          line.name.isSame(as: last.from) && !circle.contains { $0.name.isSame(as: line.name) }
        })
      {
        circle.append(rest.remove(at: index))
      }
      if circle.count > 1, circle[circle.count - 1].from.isSame(as: start.name) {
        circles.append(circle)
      } else {
        // The lines after `start` may belong to another circle.
        rest.insert(contentsOf: circle.dropFirst(), at: 0)
      }
    }
    return circles
  }
}

extension Declarations {
  /// Returns the keys of all exchanges of names that the schemas declare, sorted.
  package static func exchanges(in tables: [TableDefinition]) -> [String] {
    (Exchange.ofTables(tables) + tables.flatMap(Exchange.ofColumns)).map(\.key).sorted()
  }
}
