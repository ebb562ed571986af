import SQLCore

// `@inlinable`, so that a client compiles this code for its model, including the reference counting
// of an array of it. With unspecialized generics, reading a model takes half as much time again.
extension ResultRow {
  /// The way to read rows that are this model, column by column.
  @inlinable static var decoding: RowDecoding<Self> {
    RowDecoding(
      all: { core, statement, limit in try load(all: statement, on: core, limit: limit) },
      one: { reader in
        let layout = try layout
        defer { reader.position += layout.columns.count }
        return try load(
          layout, rowOf: reader.statement, on: reader.core, skipping: reader.position)
      },
      columns: {
        try layout.columns.map { ResultColumn(name: $0.name, type: $0.type, form: $0.form) }
      })
  }

  /// Reads all rows of a statement straight into the storage of an array.
  @inlinable
  static func load(
    all statement: StatementPointer, on core: ConnectionCore, limit: Int = .max,
    findingColumnsByName: Bool = false
  ) throws -> [Self] {
    var rows = try ModelRows(
      of: statement, layout: try layout, on: core, limit: limit,
      findingColumnsByName: findingColumnsByName)
    var models: [Self] = []
    while !rows.isAtEnd {
      let room = rows.room
      try models.append(capacity: room) { memory, count in
        try rows.load(into: memory, capacity: room, count: &count)
      }
    }
    return models
  }

  /// Reads the statement's current row.
  @inlinable
  static func load(
    _ layout: ModelLayout, rowOf statement: StatementPointer, on core: ConnectionCore,
    skipping first: Int = 0, row: Int? = nil
  ) throws -> Self {
    try withUnsafeTemporaryAllocation(
      byteCount: MemoryLayout<Self>.size, alignment: MemoryLayout<Self>.alignment
    ) { memory in
      let model = try layout.load(
        rowOf: statement, on: core, skipping: first, row: row, into: memory)
      return model.assumingMemoryBound(to: Self.self).move()
    }
  }
}

extension Array {
  /// Appends up to `capacity` elements, which a closure writes into the array's own storage. The
  /// closure counts them. If it throws, the elements that it has counted stay.
  @inlinable
  mutating func append(
    capacity: Int, initializing body: (UnsafeMutableRawPointer, inout Int) throws -> Void
  ) throws {
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
      try append(addingCapacity: capacity) { span in
        try span.withUnsafeMutableBufferPointer { buffer, count in
          guard let base = buffer.baseAddress else { return }
          var added = 0
          defer { count += added }
          try body(UnsafeMutableRawPointer(base + count), &added)
        }
      }
    } else {
      let chunk = try [Element](unsafeUninitializedCapacity: capacity) { buffer, count in
        guard let base = buffer.baseAddress else { return }
        try body(UnsafeMutableRawPointer(base), &count)
      }
      append(contentsOf: chunk)
    }
  }
}
