import QueryDSL
import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The layout of a plain struct or class in a table: each stored property is a column.
struct PlainLayout<Row: Codable & Sendable> {
  let fields: [PlainField]
  let id: PlainField

  /// Reads the properties. Throws `ModelError` if the type is not a struct or a class, if its `id`
  /// is missing or optional, or if no column can store a property, such as a reference to an
  /// object.
  init() throws {
    guard
      let stored = FieldReflection.fields(of: Row.self)
        ?? FieldReflection.fields(ofClass: Row.self)
    else {
      throw ModelError(Row.self, "only a struct or a class can be stored in a table")
    }
    // The storage of lazy properties is left out, because Codable does not encode these properties
    // either.
    fields = try stored.filter { !$0.name.hasPrefix("$__lazy_storage_$") }.map { field in
      // References to objects are refused: the form of a reference in memory depends on whether it
      // is weak or unowned, and the Swift runtime does not say which it is.
      guard !Self.isReference(field.type) else {
        throw ModelError(
          Row.self,
          "the stored property \(field.name): \(field.type) refers to an object; store its `id`, or "
            + "make it a struct")
      }
      guard let column = PlainField(field) else {
        throw ModelError(
          Row.self,
          "the stored property \(field.name): \(field.type) cannot be stored in a column; its type "
            + "must conform to ColumnValue or Codable")
      }
      return column
    }
    guard let id = fields.first(where: { $0.name == "id" }), !id.isOptional else {
      throw ModelError(Row.self, "it needs a property `id` that is not an optional, as its key")
    }
    self.id = id
  }

  private static func isReference(_ type: Any.Type) -> Bool {
    type is AnyClass || (type as? any AnyOptional.Type)?.wrappedType is AnyClass
  }

  func values(of row: Row) throws -> [DatabaseValue] {
    if Row.self is AnyClass {
      let object = row as AnyObject
      return try withExtendedLifetime(object) {
        try values(in: UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque()))
      }
    }
    return try withUnsafeBytes(of: row) { bytes in
      guard let memory = bytes.baseAddress else { return [] }
      return try values(in: memory)
    }
  }

  private func values(in memory: UnsafeRawPointer) throws -> [DatabaseValue] {
    try fields.map { field in
      do {
        return try field.store(memory + field.offset)
      } catch let error as ColumnValueError {
        throw error.at(table: nil, column: field.name, row: nil)
      }
    }
  }

  /// Returns the struct or class instance with these values, which are in the order of the fields.
  func row(of values: [DatabaseValue], in table: TableName) throws -> Row {
    if Row.self is AnyClass {
      return try Row(from: PlainDecoder(Row.self, fields, values, in: table))
    }
    return try withUnsafeTemporaryAllocation(of: Row.self, capacity: 1) { buffer in
      guard let row = buffer.baseAddress else { throw DatabaseError.misuse("no memory") }
      let memory = UnsafeMutableRawPointer(row)
      var loaded = 0
      do {
        for (field, value) in zip(fields, values) {
          try field.load(value, memory + field.offset)
          loaded += 1
        }
      } catch {
        for field in fields.prefix(loaded) { field.destroy(memory + field.offset) }
        throw fields.locate(error, atFieldNumber: loaded, of: values, in: table)
      }
      return row.move()
    }
  }
}

extension [PlainField] {
  /// Adds the table, the column and the row's `id` to an error, if it is a `ColumnValueError`.
  func locate(
    _ error: any Error, atFieldNumber index: Int, of values: [DatabaseValue], in table: TableName
  ) -> any Error {
    guard let error = error as? ColumnValueError else { return error }
    let id = firstIndex { $0.name == "id" }
    return error.at(
      table: table.name, column: self[index].name, row: nil, key: id.map { [values[$0]] })
  }
}

/// A column that stores a property of a plain struct or class. A `ColumnValue` is stored in its
/// standard form. Any other Codable type is stored as JSON.
struct PlainField {
  let name: String
  let offset: Int
  let storageClass: StorageClass
  let isOptional: Bool
  let typeName: String
  /// The value of the property if the table lacks the column: NULL, zero or empty. Nil if the type
  /// has no such value.
  let fallback: DatabaseValue?
  /// Reads the property at an address in memory, and returns the value for the column.
  let store: (UnsafeRawPointer) throws -> DatabaseValue
  /// Converts the value of the column to the value of the property.
  let read: (DatabaseValue) throws -> Any
  /// Initialises the property's memory from the value of the column.
  let load: (DatabaseValue, UnsafeMutableRawPointer) throws -> Void
  let destroy: (UnsafeMutableRawPointer) -> Void

  /// Makes the field; nil if no column can store the type.
  init?(_ field: StoredField) {
    if let type = field.type as? any ColumnValue.Type {
      self.init(type, field)
    } else if let type = field.type as? any (Encodable & Decodable).Type {
      self.init(codable: type, field)
    } else {
      return nil
    }
  }

  private init<Value: ColumnValue>(_ type: Value.Type, _ field: StoredField) {
    name = field.name
    offset = field.offset
    storageClass = type.storageClass
    isOptional = type.isOptional
    typeName = String(describing: type)
    fallback = isOptional ? .null : Self.fallback(for: type)
    store = { memory in
      try memory.assumingMemoryBound(to: Value.self).pointee.databaseValue(as: .standard)
    }
    read = { try $0.read(Value.self) }
    load = { value, memory in
      memory.initializeMemory(as: Value.self, to: try value.read(Value.self))
    }
    destroy = { $0.assumingMemoryBound(to: Value.self).deinitialize(count: 1) }
  }

  private init<Value: Codable>(codable type: Value.Type, _ field: StoredField) {
    name = field.name
    offset = field.offset
    storageClass = .text
    isOptional = type is any AnyOptional.Type
    typeName = String(describing: type)
    fallback = isOptional ? .some(.null) : .none
    store = { memory in
      let value = memory.assumingMemoryBound(to: Value.self).pointee
      if (value as? any AnyOptional)?.isNil == true { return .null }
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return .text(String(decoding: try encoder.encode(value), as: UTF8.self))
    }
    func decoded(_ value: DatabaseValue) throws -> Value {
      let text: String = value.isNull ? "null" : try value.read()
      do {
        return try JSONDecoder().decode(Value.self, from: Data(text.utf8))
      } catch {
        throw ColumnValueError.invalid(text, as: Value.self, decoding: error)
      }
    }
    read = { try decoded($0) }
    load = { value, memory in
      memory.initializeMemory(as: Value.self, to: try decoded(value))
    }
    destroy = { $0.assumingMemoryBound(to: Value.self).deinitialize(count: 1) }
  }

  private static func fallback(for type: any ColumnValue.Type) -> DatabaseValue? {
    switch type {
    case is any FixedWidthInteger.Type, is Bool.Type: .integer(0)
    case is any BinaryFloatingPoint.Type: .real(0)
    case is String.Type: .text("")
    case is any RangeReplaceableCollection<UInt8>.Type: .blob(Data())
    default: nil
    }
  }

  /// The declaration of the column. It permits NULL or has a default, because a struct without this
  /// property may write rows to the same table.
  var sql: String {
    let declared = "\(Identifier(name).quoted) \(storageClass.rawValue)"
    guard !isOptional, let fallback else { return declared }
    return "\(declared) NOT NULL DEFAULT \(fallback)"
  }
}

/// An optional whose wrapped type is unknown.
protocol AnyOptional {
  static var wrappedType: Any.Type { get }
  var isNil: Bool { get }
}

extension Optional: AnyOptional {
  static var wrappedType: Any.Type { Wrapped.self }
  var isNil: Bool { self == nil }
}
