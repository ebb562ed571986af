import SQLCore

/// One part of a row (a value or a model), and how to load it into memory.
struct RowPart: Sendable {
  fileprivate enum Kind {
    /// A value and its expression.
    case value(ColumnSlot, ExpressionNode)
    case other(Other)
  }

  /// A part that is not a single value, such as a model. Closures read it into memory and destroy
  /// it.
  fileprivate struct Other: Sendable {
    let load: @Sendable (inout RowReader, UnsafeMutableRawPointer) throws -> Void
    let destroy: @Sendable (UnsafeMutableRawPointer) -> Void
  }

  fileprivate let size: Int
  fileprivate let alignment: Int
  fileprivate let kind: Kind

  /// Makes the part for the value of an expression, which is one column of the result.
  init<Value: ColumnValue>(of node: ExpressionNode, as type: Value.Type, form: StoredForm) {
    size = MemoryLayout<Value>.size
    alignment = MemoryLayout<Value>.alignment
    kind = .value(ColumnSlot(offset: 0, type: type, form: form), node)
  }

  /// Makes a part that a closure loads.
  ///
  /// - Parameter load: A closure that reads the part, beginning at the reader's current column, and
  ///   stores it at the given address. The memory there is uninitialised and large enough.
  init<Output>(
    of type: Output.Type,
    load: @escaping @Sendable (inout RowReader, UnsafeMutableRawPointer) throws -> Void
  ) {
    size = MemoryLayout<Output>.size
    alignment = MemoryLayout<Output>.alignment
    kind = .other(
      Other(load: load) { $0.assumingMemoryBound(to: Output.self).deinitialize(count: 1) })
  }
}

/// The parts of a row that is read as a tuple. Each part has its byte offset in the tuple's memory.
///
/// The type is not generic, so that loading a row retains nothing and does not ask the runtime for
/// the element types of a tuple.
struct RowParts: Sendable {
  private enum Step: BitwiseCopyable {
    case value(ColumnSlot)
    /// A part that is not a single value, such as a model. The number is the part's index in
    /// `others`.
    case other(Int)
  }

  private var steps: [(offset: Int, step: Step)] = []
  private var others: [RowPart.Other] = []
  /// The expression of each part that is a single value; nil for other parts. Errors name the table
  /// and column of the expression.
  private var nodes: [ExpressionNode?] = []
  private var size = 0

  /// Adds a part after the existing ones, and calculates its offset in the memory of the tuple.
  mutating func append(_ part: RowPart) {
    let offset = (size + part.alignment - 1) & ~(part.alignment - 1)
    switch part.kind {
    case .value(let slot, let node):
      steps.append((offset, .value(slot)))
      nodes.append(node)
    case .other(let other):
      steps.append((offset, .other(others.count)))
      others.append(other)
      nodes.append(nil)
    }
    size = offset + part.size
  }

  /// Reads the reader's row into memory. If this throws, the memory stays uninitialised.
  func load(_ reader: inout RowReader, into row: UnsafeMutableRawPointer) throws {
    var index = 0
    do {
      while index < steps.count {
        let (offset, step) = steps[index]
        switch step {
        case .value(let slot):
          try slot.load(column: reader.position, of: reader.statement, into: row + offset)
          reader.position &+= 1
        case .other(let other): try others[other].load(&reader, row + offset)
        }
        index &+= 1
      }
    } catch {
      destroy(first: index, in: row)
      guard let failure = error as? ColumnValueError, let node = nodes[index] else { throw error }
      let place = node.place
      let names = StatementRow(statement: reader.statement).columnNames
      throw failure.at(
        table: place?.table, column: place?.column ?? names[reader.position], row: nil,
        key: key(ofStep: index, in: reader))
    }
  }

  /// Returns the key of the table row from which the part at an index is read. Returns nil if this
  /// part is not a column, if any part is not a single value, or if the query does not select all
  /// columns of the key.
  private func key(ofStep index: Int, in reader: RowReader) -> [DatabaseValue]? {
    guard others.isEmpty, case .column(let column)? = nodes[index],
      let layout = LayoutRegistry.shared.layout(number: column.table.layout),
      !layout.keyColumns.isEmpty
    else { return nil }
    let row = StatementRow(statement: reader.statement)
    let key = layout.keyColumns.compactMap { keyColumn in
      let step = nodes.firstIndex { node in
        guard case .column(let other)? = node else { return false }
        return other.table == column.table && Int(other.index) == keyColumn
      }
      return step.flatMap { try? row.databaseValue(at: reader.position - index + $0) }
    }
    return key.count == layout.keyColumns.count ? key : nil
  }

  private func destroy(first count: Int, in row: UnsafeMutableRawPointer) {
    for (offset, step) in steps.prefix(count) {
      switch step {
      case .value(let slot): slot.destroy(row + offset)
      case .other(let other): others[other].destroy(row + offset)
      }
    }
  }

  /// Reads all rows of a statement straight into the storage of an array. If `isAtRow` is true, the
  /// statement is already at its first row; otherwise it has no rows.
  func rows<Row>(
    _ type: Row.Type, of statement: StatementPointer, on core: ConnectionCore, limit: Int,
    isAtRow: Bool
  ) throws -> [Row] {
    let stride = MemoryLayout<Row>.stride
    var rows: [Row] = []
    var isAtRow = isAtRow
    while isAtRow {
      // The first time, make room for at most 16 rows. After that, make room for as many rows as
      // the array already has. The array grows only if there is another row.
      let room = max(1, rows.isEmpty ? min(16, limit) : rows.count)
      let first = rows.count
      try rows.append(capacity: room) { memory, count in
        try load(
          into: memory, stride: stride, capacity: room, of: statement, on: core, first: first,
          limit: limit, count: &count, isAtRow: &isAtRow)
      }
    }
    return rows
  }

  /// Loads rows until there are no more rows or the memory is full. The function is not generic, so
  /// that all types of rows share its code.
  private func load(
    into memory: UnsafeMutableRawPointer, stride: Int, capacity: Int,
    of statement: StatementPointer, on core: ConnectionCore, first: Int, limit: Int,
    count: inout Int, isAtRow: inout Bool
  ) throws {
    var reader = RowReader(core: core, statement: statement)
    while count < capacity, isAtRow {
      reader.position = 0
      do {
        try load(&reader, into: memory + count * stride)
      } catch let error as ColumnValueError {
        throw error.at(table: nil, column: nil, row: first + count)
      }
      count += 1
      // If the rows have reached the limit, the statement need not step to another row.
      isAtRow = first + count < limit ? try core.step(statement) : false
    }
  }

  /// Reads the reader's row.
  func row<Row>(_ type: Row.Type, _ reader: inout RowReader) throws -> Row {
    try withUnsafeTemporaryAllocation(of: Row.self, capacity: 1) { memory in
      guard let row = memory.baseAddress else { throw DatabaseError.misuse("no memory") }
      try load(&reader, into: UnsafeMutableRawPointer(row))
      return row.move()
    }
  }
}

extension RowDecoding {
  /// Returns the functions that read a row. The row is a tuple of the parts or, if there is only
  /// one part, the part itself.
  ///
  /// - Parameter isMapped: Whether a closure makes one of the parts, as in `map`.
  static func parts(
    _ parts: RowParts, isMapped: Bool = false,
    columns: @escaping @Sendable () throws -> [ResultColumn]
  ) -> RowDecoding<Row> {
    RowDecoding(
      all: { core, statement, limit in
        let isAtRow = try core.step(statement)
        return try parts.rows(
          Row.self, of: statement, on: core, limit: limit, isAtRow: isAtRow)
      },
      one: { try parts.row(Row.self, &$0) }, columns: columns, isMapped: isMapped)
  }
}
