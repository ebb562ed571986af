import SQLCore

extension ColumnType {
  /// A text that differs if the type may read other stored values: its name, its form, the cases of
  /// an enumeration and the properties of a struct. Nil for a type that reads every value of its
  /// storage class.
  var signature: String? {
    guard !readsAll, type.nonOptional != String.self else { return nil }
    let form = storedForm == .standard ? "" : " \(storedForm)"
    return TypeSignature.text(of: type.nonOptional) + form
  }
}

/// The description of a type by what it is made of.
private enum TypeSignature {
  static func text(of type: Any.Type, in types: [ObjectIdentifier] = []) -> String {
    let name = _typeName(type, qualified: false)
    let id = ObjectIdentifier(type)
    // A type may contain itself, in an array.
    guard !types.contains(id) else { return name }
    let types = types + [id]
    if let parts = (type as? any TypeWithParts.Type)?.parts {
      return parts.map { text(of: $0, in: types) }.joined(separator: ", ")
        + " in \(name.prefix { $0 != "<" })"
    }
    if let cases = cases(of: type) {
      return "\(name)(\(cases.joined(separator: ", ")))"
    }
    // What the library's types are made of may change with its versions.
    let isClosed = ["Swift.", "Foundation.", "FoundationEssentials."].contains {
      _typeName(type).hasPrefix($0)
    }
    guard !isClosed, let fields = fields(of: type) else {
      return name
    }
    let properties = fields.map { "\($0.name): \(text(of: $0.type, in: types))" }
    return "\(name){\(properties.joined(separator: ", "))}"
  }

  private static func cases(of type: Any.Type) -> [String]? {
    func cases<Enumeration>(_ type: Enumeration.Type) -> [String]? {
      FieldReflection.cases(of: type)
    }
    return _openExistential(type, do: cases)
  }

  private static func fields(of type: Any.Type) -> [StoredField]? {
    func fields<Fields>(_ type: Fields.Type) -> [StoredField]? { FieldReflection.fields(of: type) }
    return _openExistential(type, do: fields)
  }
}

/// A type of the standard library that contains values of other types.
private protocol TypeWithParts {
  static var parts: [Any.Type] { get }
}

extension Optional: TypeWithParts {
  fileprivate static var parts: [Any.Type] { [Wrapped.self] }
}

extension Array: TypeWithParts {
  fileprivate static var parts: [Any.Type] { [Element.self] }
}

extension Set: TypeWithParts {
  fileprivate static var parts: [Any.Type] { [Element.self] }
}

extension Dictionary: TypeWithParts {
  fileprivate static var parts: [Any.Type] { [Key.self, Value.self] }
}
