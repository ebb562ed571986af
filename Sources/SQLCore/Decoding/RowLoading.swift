import CSQLite

/// The progress of a loop over rows.
package struct RowProgress {
  /// The number of rows that were loaded completely.
  package var count = 0
  /// Whether the statement has ended.
  package var isAtEnd = false
  /// Whether the statement is at a row that was not read yet.
  package var isAtRow = false
  /// The index of the column that caused an error.
  package var column = 0

  package init() {}
}

extension ConnectionCore {
  /// Steps a statement and writes each row as a model into memory, until the statement ends or the
  /// memory is full.
  ///
  /// This is the only loop for all models. It is not generic, so that its code stays in the
  /// processor's cache whatever the model. If it throws, the rows counted in `progress` are
  /// complete, and nothing else is initialised.
  package func loadRows(
    of statement: StatementPointer, columns: ColumnSlots, skipping first: Int = 0,
    at positions: ColumnPositions? = nil, into base: UnsafeMutableRawPointer, capacity: Int,
    initializingOthers: ((UnsafeMutableRawPointer) -> Void)?, progress: inout RowProgress
  ) throws {
    var position = base
    var count = 0
    defer { progress.count = count }
    while count < capacity {
      if !progress.isAtRow {
        progress.isAtRow = try step(statement)
        guard progress.isAtRow else {
          progress.isAtEnd = true
          return
        }
      }
      try loadRow(
        of: statement, columns: columns, skipping: first, at: positions, into: position,
        progress: &progress)
      progress.isAtRow = false
      initializingOthers?(position)
      position += columns.stride
      count &+= 1
    }
  }

  /// Writes the current row of a statement as a model into memory. If it throws, nothing is
  /// initialised.
  ///
  /// - Parameter positions: the positions of the columns in the result; nil if they follow one
  ///   another in the model's order, from `first` on.
  package func loadRow(
    of statement: StatementPointer, columns: ColumnSlots, skipping first: Int = 0,
    at positions: ColumnPositions? = nil, into model: UnsafeMutableRawPointer,
    progress: inout RowProgress
  ) throws {
    if let indices = positions?.indices {
      try loadRow(of: statement, columns: columns, into: model, progress: &progress) { indices[$0] }
    } else {
      try loadRow(of: statement, columns: columns, into: model, progress: &progress) {
        Int32(truncatingIfNeeded: first &+ $0)
      }
    }
  }

  @inline(__always)
  private func loadRow(
    of statement: StatementPointer, columns: ColumnSlots, into model: UnsafeMutableRawPointer,
    progress: inout RowProgress, place: (Int) -> Int32
  ) throws {
    let handle = statement.handle
    let slots = columns.slots
    var index = 0
    do {
      while index < slots.count {
        let slot = slots[index]
        let column = model + Int(slot.offset)
        // SQLite calls these values "unprotected". They are safe to use because only one thread at
        // a time uses the connection.
        guard let value = sqlite3_column_value(handle, place(index))
        else { throw DatabaseError(code: .range, message: "there is no column \(index)") }
        try value.load(slot, as: InColumn.self, into: column)
        index &+= 1
      }
    } catch {
      progress.column = index
      columns.destroy(first: index, in: model)
      throw error
    }
  }
}

extension ColumnSlots {
  /// Destroys the first `count` columns of a model that was not completed.
  func destroy(first count: Int, in model: UnsafeMutableRawPointer) {
    func destroy<Value: ColumnValue>(_ type: Value.Type, at column: UnsafeMutableRawPointer) {
      column.assumingMemoryBound(to: ColumnStorage<Value>.self).deinitialize(count: 1)
    }
    for slot in slots.prefix(count) { destroy(slot.type, at: model + Int(slot.offset)) }
  }
}
