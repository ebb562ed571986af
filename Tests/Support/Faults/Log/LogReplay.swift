import CFaults
import Foundation

/// The log of a `LoggedWork`, read through the C interface and replayed entry by entry.
struct LogReplay {
  /// The number of entries.
  private(set) var entries = 0
  /// How many of them undo or redo another one, and how many came from another database.
  private(set) var inverted = 0
  private(set) var applied = 0

  /// Reads a file. Throws `Violation` if the log does not have exactly the transactions of the
  /// table, each of them whole. A file without a log has no entries.
  init(of path: String) throws {
    let connection = try PlainConnection(path: path)
    try connection.requireWhole()
    let tables = try connection.rows(
      "SELECT name FROM sqlite_schema WHERE name = 'apus_log_entry'")
    guard !tables.isEmpty else { return }
    let counts = try connection.rows(
      """
      SELECT count(*), count(undoes), count(origin), (SELECT count(*) FROM apus_log_change
      WHERE entry NOT IN (SELECT sequence FROM apus_log_entry)) FROM apus_log_entry
      """
    ).first?.compactMap { value -> Int? in
      if case .integer(let count) = value { Int(count) } else { nil }
    }
    guard let counts, counts.count == 4 else { throw Violation("the entries cannot be counted") }
    (entries, inverted, applied) = (counts[0], counts[1], counts[2])
    try require(counts[3] == 0, "\(counts[3]) changes belong to no entry")
    try replay(connection)
  }

  private func replay(_ connection: PlainConnection) throws {
    let shapes = try connection.rows("SELECT \"table\", columns, key FROM apus_log_shape")
    let shape = ["Amount", #"["id","value","note"]"#, #"["id"]"#].map { PlainValue.text($0) }
    try require(shapes.allSatisfy { $0 == shape }, "the shapes are \(shapes)")
    var rows: [PlainValue: [PlainValue]] = [:]
    var present: PlainValue?
    for row in try connection.rows(
      """
      SELECT entry, kind, old1, old2, old3, new1, new2, new3 FROM apus_log_change
      WHERE kind IN ('insert', 'update', 'delete') ORDER BY id
      """)
    {
      if let present, present != row[0] { try requireWhole(rows, after: present) }
      present = row[0]
      try Self.apply(row[1], old: Array(row[2..<5]), new: Array(row[5..<8]), to: &rows)
    }
    if let present { try requireWhole(rows, after: present) }
    var actual: [PlainValue: [PlainValue]] = [:]
    for row in try connection.rows("SELECT id, value, note FROM Amount") { actual[row[0]] = row }
    try require(
      rows == actual, "the log gives the rows \(rows.values), but there are \(actual.values)")
  }

  private static func apply(
    _ kind: PlainValue, old: [PlainValue], new: [PlainValue],
    to rows: inout [PlainValue: [PlainValue]]
  ) throws {
    let key = kind == .text("insert") ? new[0] : old[0]
    let row = rows[key]
    switch kind {
    case .text("insert"):
      try require(row == nil, "the log inserts the row \(key) again")
      rows[key] = new
    case .text("delete"):
      try require(row == old, "the log deletes \(old), but the row is \(row as Any)")
      rows[key] = nil
    default:
      guard var row else { throw Violation("the log updates the row \(key), which is missing") }
      for index in 1..<3 where !(old[index] == .null && new[index] == .null) {
        try require(row[index] == old[index], "the log updates \(old), but the row is \(row)")
        row[index] = new[index]
      }
      rows[key] = row
    }
  }

  private func requireWhole(
    _ rows: [PlainValue: [PlainValue]], after entry: PlainValue
  ) throws {
    let sum = rows.values.reduce(0) { sum, row in
      if case .integer(let value) = row[1] { sum + Int(value) } else { sum }
    }
    try require(sum == 0, "after the entry \(entry), the sum of the amounts is \(sum)")
  }
}
