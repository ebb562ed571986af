@_spi(Reflection) import Swift

/// A stored property of a struct: its name, where it lies, and its type.
struct StoredField {
  let name: String
  let offset: Int
  let type: Any.Type
}

/// Reads the stored properties of a struct from the runtime's own description of the type, without
/// an instance. It is the one place that knows this interface of the standard library; on Apple's
/// platforms it has the same name and needs the same SPI import.
enum FieldReflection {
  /// The stored properties, in order; nil for what is no struct, and for a type whose fields the
  /// runtime does not tell.
  static func fields<Fields>(of type: Fields.Type) -> [StoredField]? {
    guard isStruct(type) else { return nil }
    var fields: [StoredField] = []
    let isComplete = _forEachField(of: type, options: []) { name, offset, fieldType, _ in
      fields.append(StoredField(name: String(cString: name), offset: offset, type: fieldType))
      return true
    }
    return isComplete ? fields : nil
  }

  /// The kind of a type is told of fields alone: so it is asked of a field of the type.
  private static func isStruct<Kind>(_: Kind.Type) -> Bool {
    var isStruct = false
    _ = _forEachField(of: Holder<Kind>.self, options: []) { _, _, _, kind in
      isStruct = kind == .struct
      return true
    }
    return isStruct
  }

  private struct Holder<Kind> {
    let field: Kind
  }
}
