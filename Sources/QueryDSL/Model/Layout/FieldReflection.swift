@_spi(Reflection) import Swift

/// A stored property of a struct: its name, its offset in memory, and its type.
struct StoredField {
  let name: String
  let offset: Int
  let type: Any.Type
}

/// Reads the stored properties of a struct from the runtime's metadata of the type, without an
/// instance. No other file uses this interface of the standard library. On Apple's platforms it has
/// the same name and needs the same SPI import.
enum FieldReflection {
  /// Returns the stored properties in their order; nil if the type is not a struct, or if the
  /// runtime does not report all of its fields.
  static func fields<Fields>(of type: Fields.Type) -> [StoredField]? {
    guard isStruct(type) else { return nil }
    var fields: [StoredField] = []
    let isComplete = _forEachField(of: type, options: []) { name, offset, fieldType, _ in
      fields.append(StoredField(name: String(cString: name), offset: offset, type: fieldType))
      return true
    }
    return isComplete ? fields : nil
  }

  /// Whether a type is a struct. The runtime reports the kind only for the types of fields, so this
  /// looks at the field of a type that holds one.
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
