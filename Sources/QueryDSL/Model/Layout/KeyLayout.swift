import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The layout of a model's `ID` in memory: the value of the only key column, or a struct with a
/// property for each key column.
enum KeyLayout {
  static func slots<M: Model>(
    ofKeyOf model: M.Type, for keys: [ModelColumn]
  ) throws -> ColumnSlots {
    let id = M.ID.self
    if keys.count == 1, keys[0].type == id || keys[0].type.nonOptional == id {
      return ColumnSlots(
        [
          slot(
            offset: 0, type: keys[0].type == id ? keys[0].type : keys[0].type.nonOptional, keys[0])
        ],
        stride: MemoryLayout<M.ID>.stride)
    }
    let fields = FieldReflection.fields(of: id) ?? []
    guard fields.count <= keys.count else {
      throw ModelError(
        M.self,
        "its ID, \(id), has properties that are not key columns; keep only "
          + keys.map(\.property).joined(separator: ", "))
    }
    let slots = try keys.map { key in
      guard let field = fields.first(where: { $0.name == key.property }), field.type == key.type
      else {
        throw ModelError(
          M.self,
          "its ID is \(id), which has no property `\(key.property): \(key.type)` for that key "
            + "column; \(lines(for: keys))")
      }
      return slot(offset: field.offset, type: key.type, key)
    }
    return ColumnSlots(slots, stride: MemoryLayout<M.ID>.stride)
  }

  /// Returns the Swift code by which a model with these key columns declares its `id`. The message
  /// of an error contains this code.
  private static func lines(for keys: [ModelColumn]) -> String {
    if keys.count == 1 { return "declare `var id: \(keys[0].type) { \(keys[0].property) }`" }
    let properties = keys.map { "var \($0.property): \($0.type)" }.joined(separator: "; ")
    let arguments = keys.map { "\($0.property): \($0.property)" }.joined(separator: ", ")
    let isTaken = keys.contains { $0.property == "id" }
    return (isTaken ? "rename its key column id, since id is the whole key, and " : "")
      + "declare `struct ID: Hashable, Sendable { \(properties) }` and `var id: ID { ID(\(arguments)) }`"
  }

  private static func slot(offset: Int, type: any ColumnValue.Type, _ key: ModelColumn)
    -> ColumnSlot
  {
    ColumnSlot(offset: offset, type: type, form: key.form)
  }
}

/// Another spelling of a key, which another program may have written: a UUID as text in upper case
/// instead of lower case, or the reverse.
///
/// SQL compares keys byte by byte. If the spelling that Apus writes finds no row, the other
/// spellings are looked up. Only models whose keys contain UUIDs as text have other spellings.
struct KeySpelling: Sendable {
  /// The slots by which statements bind the columns of the model, with the key in this spelling.
  let slots: ColumnSlots
  /// The slots by which statements bind the model's `ID` in this spelling.
  let keySlots: ColumnSlots

  /// Returns the spellings of a key that differ from the declared spelling in the case of its
  /// UUIDs. The list is empty for a key without UUIDs as text.
  static func others(
    of columns: [ModelColumn], keyColumns: [Int], slots: ColumnSlots, keySlots: ColumnSlots,
    strides: (model: Int, key: Int)
  ) -> [KeySpelling] {
    let places = keyColumns.indices.filter { place in
      let column = columns[keyColumns[place]]
      return column.type == UUID.self && column.storageClass == .text
    }
    // A key with more than three UUIDs would have too many spellings.
    guard (1...3).contains(places.count), keySlots.slots.count == keyColumns.count else {
      return []
    }
    return (1..<(1 << places.count)).map { number in
      var slots = Array(slots.slots)
      var keys = Array(keySlots.slots)
      for (bit, place) in places.enumerated() where number & (1 << bit) != 0 {
        let column = keyColumns[place]
        let form: StoredForm = columns[column].form == .uppercase ? .standard : .uppercase
        slots[column] = slots[column].stored(as: form)
        keys[place] = keys[place].stored(as: form)
      }
      return KeySpelling(
        slots: ColumnSlots(slots, stride: strides.model),
        keySlots: ColumnSlots(keys, stride: strides.key))
    }
  }
}

extension ConnectionCore {
  /// Runs a statement with the other spellings of the key (`KeySpelling`), until it finds a row.
  /// Returns whether it found one.
  @usableFromInline
  func step(
    _ statement: StatementPointer, toOtherSpellingsOf key: UnsafeRawPointer, _ layout: ModelLayout
  ) throws -> Bool {
    for spelling in layout.keySpellings {
      reset(statement)
      try bind(key: spelling.keySlots, at: key, to: statement)
      if try step(statement) { return true }
    }
    return false
  }
}

/// Lists of a model's columns, each in the order in which a statement binds them. Their memory
/// lives as long as the process.
struct ColumnOrders: @unchecked Sendable {
  // `@unchecked Sendable`: the memory is written once, in `init`, and never freed, because layouts
  // live for ever.
  /// The columns that are written: all except the generated columns.
  let all: UnsafeBufferPointer<UInt16>
  /// The columns of the key.
  let key: UnsafeBufferPointer<UInt16>
  /// The columns that are written, except the key columns.
  let others: UnsafeBufferPointer<UInt16>
  /// Whether the database assigns a key to a model whose key is nil.
  let mayAssignKey: Bool

  init(of columns: [ModelColumn], rowIDColumn: Int?) {
    let indices = columns.indices.filter { !columns[$0].isGenerated }
    all = Self.list(indices.map { $0 })
    key = Self.list(indices.filter { columns[$0].isPrimaryKey })
    others = Self.list(indices.filter { !columns[$0].isPrimaryKey })
    mayAssignKey = rowIDColumn.map { columns[$0].isOptional } ?? false
  }

  /// Returns the columns that an INSERT names. If the database assigns the key, the key is not
  /// among these columns. Such a key has only one column.
  func inserted(assigningKey: Bool) -> UnsafeBufferPointer<UInt16> {
    assigningKey ? others : all
  }

  private static func list(_ indices: [Int]) -> UnsafeBufferPointer<UInt16> {
    let memory = UnsafeMutableBufferPointer<UInt16>.allocate(capacity: indices.count)
    _ = memory.initialize(from: indices.map { UInt16(truncatingIfNeeded: $0) })
    return UnsafeBufferPointer(memory)
  }
}
