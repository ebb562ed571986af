import SQLCore

/// A table that a shape names. If the table is in scope, the shape has the number of the scope, and
/// the table's index within the scope. A shape that describes only a part of a query may also name
/// a table that is not in scope. In this case, the shape has the `TableID` of the table.
package enum ShapeTable: Sendable {
  case place(scope: Int, index: Int)
  case outside(TableID)
}

/// A table that an `openScope` part of a shape brings into scope.
package struct ShapeScopeTable: Sendable {
  package let kind: ScopeKind
  package let layout: UInt16
  /// The name of a common table, of a table-valued function, or of a row such as `excluded`. It is
  /// nil for a table that has its model's name.
  var name: String?
}

/// A part of a shape, as `ShapeWriter` wrote it.
package enum ShapePart: Sendable {
  case token(SQLToken)
  case words(String)
  case alias(String)
  case resultColumn(String)
  case value
  /// Raw SQL, and the number of its values.
  case fragment(String, count: Int)
  case table(ShapeTable)
  case tableName(layout: UInt16)
  case column(ShapeTable, index: UInt16)
  case columnName(layout: UInt16, index: UInt16)
  case allColumns(ShapeTable)
  case openScope([ShapeScopeTable])
  case closeScope
  case commonTableDefinition(String, layout: UInt16)
  case checked(layout: UInt16, index: UInt16)
  case checkedRows([(layout: UInt16, index: UInt16)])
  case endOfChecked
}

/// Reads the parts of a shape, one after another.
struct ShapeReader {
  private let bytes: UnsafeRawBufferPointer
  /// The index of the next byte. The first byte is skipped, because it is not a part of the SQL: it
  /// only says that the statement's key is a shape, and not SQL text.
  private var position = 1

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  /// Returns the next part of the shape. Returns nil if there is no further part.
  mutating func next() -> ShapePart? {
    guard position < bytes.count else { return nil }
    let byte: UInt8 = number()
    if let token = SQLToken(rawValue: byte) { return .token(token) }
    return switch ShapeMark(rawValue: byte) {
    case .words: .words(text())
    case .alias: .alias(text())
    case .resultColumn: .resultColumn(text())
    case .value: .value
    case .fragment: .fragment(text(), count: Int(number() as UInt32))
    case .table: .table(table())
    case .tableName: .tableName(layout: number())
    case .column: .column(table(), index: number())
    case .columnName: .columnName(layout: number(), index: number())
    case .allColumns: .allColumns(table())
    case .openTable: .openScope([ShapeScopeTable(kind: .model, layout: number())])
    case .openScope: .openScope(list { $0.scopeTable() })
    case .closeScope: .closeScope
    case .commonTableDefinition: .commonTableDefinition(text(), layout: number())
    case .checked: .checked(layout: number(), index: number())
    case .checkedRows: .checkedRows(list { ($0.number(), $0.number()) })
    case .endOfChecked: .endOfChecked
    case nil: nil
    }
  }

  private mutating func number<Number: FixedWidthInteger & BitwiseCopyable>() -> Number {
    let size = MemoryLayout<Number>.size
    guard bytes.count - position >= size else {
      position = bytes.count
      return 0
    }
    defer { position += size }
    return bytes.loadUnaligned(fromByteOffset: position, as: Number.self)
  }

  private mutating func text() -> String {
    let end = min(Int(number() as UInt32) + position, bytes.count)
    defer { position = end }
    return String(decoding: bytes[position..<end], as: UTF8.self)
  }

  private mutating func list<Element>(_ element: (inout Self) -> Element) -> [Element] {
    let count: UInt16 = number()
    return (0..<count).map { _ in element(&self) }
  }

  private mutating func table() -> ShapeTable {
    let place: UInt16 = number()
    guard place == ShapeMark.noPlace else {
      return .place(scope: Int(place >> 8), index: Int(place & 0xFF))
    }
    return .outside(TableID(layout: number(), source: number()))
  }

  private mutating func scopeTable() -> ShapeScopeTable {
    var table = ShapeScopeTable(kind: ScopeKind(rawValue: number()) ?? .model, layout: number())
    if table.kind != .model, table.kind != .query { table.name = text() }
    return table
  }
}

/// The compact form of a statement, or of a part of a statement, and the values to bind.
package struct Shape: Sendable {
  package let bytes: [UInt8]
  package let values: [BoundValue]

  /// Makes a shape from the parts that a closure writes. If these parts contain a mistake, throws
  /// the error for the first one. If `isPart` is true, the parts may use tables that are not in
  /// scope.
  init(isPart: Bool = false, _ write: (inout ShapeWriter) throws -> Void) throws {
    var writer = ShapeWriter(StatementDraft(), isPart: isPart)
    defer { writer.draft.deallocate() }
    try write(&writer)
    try writer.check()
    bytes = Array(writer.draft.key.bytes)
    values = writer.draft.values.all
  }

  /// Calls a closure with each part of the shape, in order.
  package func forEachPart(_ body: (ShapePart) throws -> Void) rethrows {
    try bytes.withUnsafeBytes { bytes in
      var reader = ShapeReader(bytes)
      while let part = reader.next() { try body(part) }
    }
  }

  /// Returns the columns that occur in a part of a query, such as its WHERE clause. If a subquery
  /// has a table in its FROM clause or in a join, the columns of this table are left out.
  static func columns(
    of write: (inout ShapeWriter) throws -> Void
  ) throws -> Set<ColumnID> {
    var columns: Set<ColumnID> = []
    try Shape(isPart: true, write).forEachPart { part in
      switch part {
      case .column(.outside(let table), let index) where index != ColumnID.rowIDIndex:
        columns.insert(ColumnID(table: table, index: index))
      // A use of the rowid counts as a use of all columns, because one of the columns may be the
      // key that is an alias of the rowid. In a table without such a key, the rowid changes only
      // when the whole row is replaced.
      case .column(.outside(let table), _), .allColumns(.outside(let table)):
        let count = LayoutRegistry.shared.layout(number: table.layout)?.columns.count ?? 0
        for index in 0..<count {
          columns.insert(ColumnID(table: table, index: UInt16(truncatingIfNeeded: index)))
        }
      default: break
      }
    }
    return columns
  }
}
