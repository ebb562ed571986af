/// The names of the columns, which are at the start of each answer with rows.
struct RowsHeader {
  let names: [String]

  init(from reader: inout WireReader) throws {
    let count = Int(clamping: try reader.readWord())
    guard (1...32_767).contains(count) else { throw ProtocolError.truncated }
    names = try (0..<count).map { _ in try reader.readText() }
  }
}

/// A row of an answer: the types of its values, and their positions.
struct WireRow {
  private(set) var types: [WireType] = []
  private(set) var positions: [Int] = []

  /// Reads the next row. Its types, with four bits each, come first. The values are not decoded:
  /// only their positions are determined.
  mutating func read(from reader: inout WireReader, _ header: RowsHeader) throws {
    types.removeAll(keepingCapacity: true)
    positions.removeAll(keepingCapacity: true)
    let columnCount = header.names.count
    let start = reader.position
    for column in 0..<columnCount {
      guard let byte = reader.bytes.getInteger(at: start + column / 2, as: UInt8.self) else {
        throw ProtocolError.truncated
      }
      let code = column.isMultiple(of: 2) ? byte & 0xF : byte >> 4
      guard let type = WireType(rawValue: code) else {
        throw ProtocolError.convertedColumn(header.names[column])
      }
      types.append(type)
    }
    try reader.skip(padded: (columnCount + 1) / 2)
    for type in types {
      positions.append(reader.position)
      switch type {
      case .integer, .real, .null: try reader.skip(8)
      case .text: _ = try reader.skipText()
      case .blob:
        try reader.skip(padded: Int(clamping: try reader.readWord()))
      }
    }
  }
}
