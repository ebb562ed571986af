import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A job that puts the rows of a table into the cells of a vector index, which are groups of
/// similar vectors. The job works in parts, and each part can be a separate transaction.
///
/// During the job, and if the job ends early, a row is in a former cell, in a new cell, or in no
/// cell. Every search measures the rows without a cell, so searches are correct at all times.
struct VectorIndexJob: Sendable {
  private let index: VectorIndexDefinition
  private let cells: VectorCells
  /// The numbers that the cells have in the index, in the order of `cells`.
  private let numbers: [Int]
  /// The number of the first new cell. Rows in cells with smaller numbers are placed again.
  private let first: Int
  /// The number of rows to place.
  let rowCount: Int

  /// Learns cells from a sample of the rows. Returns nil if the table has no vectors.
  static func learn(
    for index: VectorIndexDefinition, on connection: Connection, _ step: () throws -> Void
  ) throws -> VectorCells? {
    let vectors = "FROM \(index.quotedTable) WHERE \(index.quotedColumn) IS NOT NULL"
    let rowCount = try connection.number("SELECT count(*) \(vectors)")
    let count = max(Int(6 * Double(rowCount).squareRoot()), 1)
    let bytes = try connection.number(
      "SELECT ifnull(max(length(\(index.quotedColumn))), 0) FROM (SELECT \(index.quotedColumn) "
        + "\(vectors) LIMIT 100)")
    // The sample has 16 vectors for each cell, but takes at most 128 MB of memory.
    let size = min(16 * count, (128 << 20) / max(bytes, 1))
    var sample: [[Float]] = []
    try connection.forEach(
      SQL(unsafe: "SELECT \(index.quotedColumn) \(vectors) ORDER BY random() LIMIT \(size)")
    ) { row in
      if let vector = try row.vector(at: 0) { sample.append(vector) }
    }
    return try VectorCells(learning: count, from: sample, by: index.metric, step)
  }

  /// Reads the cells of an index; nil if the index has no cells, or if the cells are damaged.
  static func known(
    to index: VectorIndexDefinition, on connection: Connection
  ) throws -> (cells: VectorCells, numbers: [Int])? {
    var mean: [Float]?
    var centroids: [[Float]] = []
    var numbers: [Int] = []
    var isDamaged = false
    try connection.forEach(
      SQL(unsafe: "SELECT \"cell\", \"centroid\" FROM \(index.quotedCells) WHERE \"cell\" >= 0")
    ) { row in
      let number = try row.get(Int.self, at: 0)
      guard let vector = try row.vector(at: 1) else { return isDamaged = true }
      if number == 0 { return mean = vector }
      numbers.append(number)
      centroids.append(vector)
    }
    guard !isDamaged, let mean, let dimensions = centroids.first?.count, dimensions > 0,
      centroids.allSatisfy({ $0.count == dimensions }), mean.count == (dimensions + 7) / 8 * 8
    else { return nil }
    let cells = try VectorCells(
      centroids: centroids, mean: mean, dimensions: dimensions, metric: index.metric)
    return (cells, numbers)
  }

  /// Begins to place all rows in newly learnt cells, in the open transaction. Also adds rows that
  /// the index lacks. If `cells` is nil, takes all rows out of their cells, deletes the cells and
  /// returns nil.
  init?(
    placingAllIn cells: VectorCells?, of index: VectorIndexDefinition, on connection: Connection
  ) throws {
    let (places, table) = (index.quotedName, index.quotedTable)
    try connection.execute(
      SQL(
        unsafe: "DELETE FROM \(places) AS \"place\" WHERE NOT EXISTS (SELECT 1 FROM \(table) "
          + "WHERE \(index.isSame("\"place\"")) AND \(index.quotedColumn) IS NOT NULL)"))
    try connection.execute(SQL(unsafe: index.filling))
    try connection.execute(
      SQL(unsafe: "UPDATE \(places) SET \"cell\" = 0 WHERE \"cell\" < 0"))
    let rowCount = try connection.number("SELECT count(*) FROM \(places)")
    guard let cells else {
      try connection.execute(
        SQL(unsafe: "UPDATE \(places) SET \"cell\" = 0, \"code\" = NULL WHERE \"cell\" <> 0"))
      try connection.execute(SQL(unsafe: "DELETE FROM \(index.quotedCells)"))
      return nil
    }
    let first =
      1
      + (try connection.number(
        "SELECT max(ifnull((SELECT max(\"cell\") FROM \(index.quotedCells)), 0), "
          + "ifnull((SELECT max(\"cell\") FROM \(places)), 0))"))
    let insertion = "REPLACE INTO \(index.quotedCells) (\"cell\", \"centroid\", \"count\") VALUES "
    try connection.execute(SQL("\(unsafe: insertion)(0, \(cells.mean), \(rowCount))"))
    for cell in 0..<cells.count {
      try connection.execute(
        SQL("\(unsafe: insertion)(\(first + cell), \(cells.centroid(cell)), 0)"))
    }
    self.index = index
    self.cells = cells
    self.first = first
    self.rowCount = rowCount
    numbers = Array(first..<first + cells.count)
  }

  /// Begins to put rows without a cell into the existing cells of an index; nil if the index has no
  /// cells.
  init?(placingNewOf index: VectorIndexDefinition, on connection: Connection) throws {
    guard let known = try Self.known(to: index, on: connection) else { return nil }
    self.index = index
    cells = known.cells
    numbers = known.numbers
    first = 1
    rowCount = try connection.number(
      "SELECT count(*) FROM \(index.quotedName) WHERE \"cell\" = 0")
  }

  /// Puts up to 1,000 rows into cells, and returns their number. If no row is left, removes the
  /// former cells and returns 0. Also returns 0 if another rebuild has removed the cells of this
  /// job; the other rebuild then places the rows.
  func placeSome(on connection: Connection) throws -> Int {
    guard let last = numbers.last, let start = numbers.first else { return 0 }
    let found = try connection.number(
      "SELECT count(*) FROM \(index.quotedCells) WHERE \"cell\" BETWEEN \(start) AND \(last)")
    guard found == numbers.count else { return 0 }
    let names = VectorIndexDefinition.keyNames(index.keys.count).map { Identifier($0).quoted }
    let keys = names.map { "\"place\".\($0)" }.joined(separator: ", ")
    var rows: [(key: [BoundValue], place: (cell: Int, code: Data)?)] = []
    try connection.forEach(
      SQL(
        unsafe: "SELECT \(index.quotedTable).\(index.quotedColumn), \(keys) FROM "
          + "\(index.quotedName) AS \"place\" CROSS JOIN \(index.quotedTable) ON "
          + "\(index.isSame("\"place\"")) WHERE \"place\".\"cell\" >= 0 AND \"place\".\"cell\" < "
          + "\(first) AND \(index.quotedTable).\(index.quotedColumn) IS NOT NULL LIMIT 1000")
    ) { row in
      let key = try names.indices.map { BoundValue.value(try row.databaseValue(at: $0 + 1)) }
      rows.append((key, try row.vector(at: 0).flatMap(cells.place)))
    }
    let condition = names.map { "\($0) = ?" }.joined(separator: " AND ")
    let update =
      "UPDATE \(index.quotedName) SET \"cell\" = ?, \"code\" = ? WHERE \(condition)"
    for row in rows {
      // A vector that fits into no cell gets the number -1, and every search measures it.
      let place: [BoundValue] = [
        BoundValue(row.place.map { numbers[$0.cell] } ?? -1), BoundValue(row.place?.code),
      ]
      try connection.execute(SQL(text: update, bindings: place + row.key))
    }
    if rows.isEmpty, first > 1 {
      // An entry that is still in a former cell belongs to a row that no longer exists.
      for table in [index.quotedName, index.quotedCells] {
        try connection.execute(
          SQL(unsafe: "DELETE FROM \(table) WHERE \"cell\" > 0 AND \"cell\" < \(first)"))
      }
    }
    return rows.count
  }
}

extension VectorIndexDefinition {
  /// Returns whether the index has every vector, and the right code for each vector.
  func isSound(on connection: Connection) throws -> Bool {
    let missing = try connection.number(
      "SELECT EXISTS (SELECT 1 FROM \(quotedTable) WHERE \(quotedColumn) IS NOT NULL AND NOT EXISTS "
        + "(SELECT 1 FROM \(quotedName) AS \"place\" WHERE \(isSame("\"place\"")))) OR EXISTS "
        + "(SELECT 1 FROM \(quotedName) WHERE \"cell\" > 0 AND \"cell\" NOT IN "
        + "(SELECT \"cell\" FROM \(quotedCells)))")
    guard missing == 0 else { return false }
    guard let known = try VectorIndexJob.known(to: self, on: connection) else {
      // An index without cells is sound. An index with damaged cells is not.
      return try connection.number("SELECT EXISTS (SELECT 1 FROM \(quotedCells))") == 0
    }
    var isSound = true
    try connection.forEach(
      SQL(
        unsafe: "SELECT \(quotedTable).\(quotedColumn), \"place\".\"code\" FROM \(quotedName) AS "
          + "\"place\" CROSS JOIN \(quotedTable) ON \(isSame("\"place\"")) "
          + "WHERE \"place\".\"cell\" > 0")
    ) { row in
      guard isSound else { return }
      let vector = try row.vector(at: 0)
      guard let vector, vector.count == known.cells.dimensions else { return isSound = false }
      let code = VectorCells.code(
        of: VectorCells.coded(vector, by: metric), around: known.cells.mean)
      isSound = try row.databaseValue(at: 1) == .blob(code)
    }
    return isSound
  }

  /// Returns the vector indexes of a model. Throws `ModelError` if it declares none, or if a
  /// declaration is invalid.
  static func required<M: TableModel>(by model: M.Type) throws -> [VectorIndexDefinition] {
    let table = try TableDefinition(of: model)
    let indexes = table.ownedLines.compactMap { $0.object(table) as? VectorIndexDefinition }
    guard !indexes.isEmpty else {
      throw ModelError(
        model, "it has no vector index; declare `VectorIndex(\\.$…)` in its schema")
    }
    return indexes
  }
}

extension Connection {
  fileprivate func number(_ sql: String) throws -> Int {
    var number = 0
    try forEach(SQL(unsafe: sql)) { number = try $0.get(Int.self, at: 0) }
    return number
  }
}

extension StatementRow {
  /// Returns the vector in a column; nil if the value is not a vector, or has a number that is not
  /// finite.
  fileprivate func vector(at index: Int) throws -> [Float]? {
    guard case .blob(let data) = try databaseValue(at: index), data.count % 4 == 0 else {
      return nil
    }
    let vector = data.withUnsafeBytes { bytes in
      (0..<bytes.count / 4).map { place in
        Float(
          bitPattern: UInt32(
            littleEndian: bytes.loadUnaligned(fromByteOffset: place * 4, as: UInt32.self)))
      }
    }
    return vector.allSatisfy(\.isFinite) ? vector : nil
  }
}
