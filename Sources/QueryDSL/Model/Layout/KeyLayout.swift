import SQLCore

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

  /// Returns what to declare for a key of several columns.
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
