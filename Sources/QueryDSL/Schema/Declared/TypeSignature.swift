import SQLCore

extension ColumnType {
  /// A text that describes which stored values the type can read. If these values change, for
  /// example by a new case of an enumeration, the text changes, too. The text has the type's name,
  /// the stored form, the cases of an enumeration that is `CaseIterable`, and the properties of a
  /// struct. Nil for a type that reads every value of its storage class.
  var signature: String? {
    guard !readsAll, type.nonOptional != String.self else { return nil }
    let form = storedForm == .standard ? "" : " \(storedForm)"
    var signature = TypeSignature()
    return signature.text(of: type.nonOptional) + form
  }

  /// Returns whether both signatures belong to the same enumeration, and `signature` has all cases
  /// of `other`.
  static func hasMoreCases(_ signature: String, than other: String) -> Bool {
    func cases(of signature: String) -> (name: Substring, cases: Set<Substring>)? {
      guard let start = signature.firstIndex(of: "("), signature.last == ")" else { return nil }
      let cases = signature[start...].dropFirst().dropLast()
      // The raw values have no commas, because commas in them are escaped.
      return (signature[..<start], Set(cases.split(separator: ", ")))
    }
    guard let more = cases(of: signature), let fewer = cases(of: other) else { return false }
    return more.name == fewer.name && more.cases.isSuperset(of: fewer.cases)
  }
}

/// A description of types by their names and their parts, such as properties.
private struct TypeSignature {
  /// The types that are already described. If a type occurs again, the description has only its
  /// name, because a type may contain itself in an array, or contain another type many times.
  private var described: Set<ObjectIdentifier> = []

  mutating func text(of type: Any.Type) -> String {
    let name = _typeName(type, qualified: false)
    guard described.insert(ObjectIdentifier(type)).inserted else { return name }
    if let type = type as? any TypeWithParts.Type {
      return type.parts.map { text(of: $0) }.joined(separator: ", ")
        + " in \(name.prefix { $0 != "<" })"
    }
    // The properties of a library's type may change from one version of the library to the next, so
    // the signature of such a type is only its name.
    let isClosed = ["Swift.", "Foundation.", "FoundationEssentials.", "SQLCore.", "QueryDSL."]
      .contains { _typeName(type).hasPrefix($0) }
    guard !isClosed else { return name }
    if let cases = (type as? any CaseIterable.Type)?.caseTexts {
      return "\(name)(\(cases.joined(separator: ", ")))"
    }
    guard let fields = fields(of: type) else { return name }
    let properties = fields.map { "\($0.name): \(text(of: $0.type))" }
    return "\(name){\(properties.joined(separator: ", "))}"
  }

  private func fields(of type: Any.Type) -> [StoredField]? {
    func fields<Fields>(_ type: Fields.Type) -> [StoredField]? { FieldReflection.fields(of: type) }
    return _openExistential(type, do: fields)
  }
}

extension CaseIterable {
  /// The raw values of the cases, or their names; nil if there are more than a thousand.
  ///
  /// An enumeration that is not `CaseIterable` is known by its name only, because Swift has no
  /// documented way to list its cases. The standard library names only the case of an instance.
  /// Reading the compiler's metadata would depend on the platform.
  fileprivate static var caseTexts: [String]? {
    let cases = allCases.prefix(1001).map { value in
      ((value as? any RawRepresentable).map { "\($0.rawValue)" } ?? "\(value)")
        .replacing("\\", with: "\\\\").replacing(",", with: "\\c")
    }
    return cases.count > 1000 ? nil : cases
  }
}

/// A type that contains values of other types, such as `Array`.
private protocol TypeWithParts {
  static var parts: [Any.Type] { get }
}

extension JSON: TypeWithParts {
  fileprivate static var parts: [Any.Type] { [Value.self] }
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
