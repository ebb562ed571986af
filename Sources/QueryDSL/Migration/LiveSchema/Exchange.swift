import SQLCore

/// Lines that rename in a circle: `Renamed(\.$a, from: "b")` with `Renamed(\.$b, from: "a")`.
///
/// Afterwards the names are those of before, so that nothing in the tables tells whether it was done:
/// the database remembers it, by the lines.
struct Exchange {
  /// Each takes the name that the line after it gives away; the last takes the first's.
  let lines: [(name: String, from: String)]
  /// What the database remembers.
  let key: String

  /// The name that what is renamed first has meanwhile.
  static let room = "apus_exchanged"

  /// The renamings, one after another.
  var renamings: [(name: String, from: String)] {
    guard let first = lines.first, let last = lines.last else { return [] }
    return [(name: Self.room, from: first.name)] + lines.dropLast()
      + [(name: last.name, from: Self.room)]
  }

  private init(_ lines: [(name: String, from: String)], of owner: String) {
    self.lines = lines
    // Wherever the circle begins, it is the same.
    let words = lines.map { "\($0.name.lowercasedASCII) from \($0.from.lowercasedASCII)" }.sorted()
    key = "exchanged \(owner): \(words.joined(separator: ", "))"
  }

  static func ofColumns(_ table: TableDefinition) -> [Exchange] {
    circles(in: table.renamedColumns).map { Exchange($0, of: table.name.lowercasedASCII) }
  }

  static func ofTables(_ tables: [TableDefinition]) -> [Exchange] {
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
        // The others may be of another circle.
        rest.insert(contentsOf: circle.dropFirst(), at: 0)
      }
    }
    return circles
  }
}

extension Declarations {
  /// The exchanges of names that the schemas declare, as the database remembers them.
  static func exchanges(in tables: [TableDefinition]) -> [String] {
    (Exchange.ofTables(tables) + tables.flatMap(Exchange.ofColumns)).map(\.key).sorted()
  }
}
