import SQLCore

/// The conversion of a value inside JSON to the form in which a column of its type stores it.
enum JSONReading {
  /// SQLite's own functions return it in that form. The name is that of the type.
  case direct(String)
  /// A function of the library converts it. The name is that of the type.
  case converted(String)
  /// The value is JSON itself.
  case json
  /// SQL cannot convert it.
  case unknown(QueryError)

  init(_ type: any ColumnValue.Type) {
    switch type.nonOptional {
    case is Int.Type, is Int64.Type, is Int32.Type, is Int16.Type, is Int8.Type, is UInt.Type,
      is UInt64.Type, is UInt32.Type, is UInt16.Type, is UInt8.Type, is Bool.Type, is Double.Type:
      self = .direct(String(describing: type.nonOptional))
    case is JSONAtom.Type, is JSONKey.Type: self = .converted("String")
    case is any JSONColumnValue.Type: self = .json
    case let type:
      if let name = JSONType.name(of: type) {
        self = .converted(name)
      } else if let raw = type.rawType {
        self.init(raw)
      } else {
        self = .unknown(
          QueryError(
            "SQL does not know how JSON writes a value of \(type); read the value as a text or a "
              + "number, or as JSON with json(at:as:)"))
      }
    }
  }
}

extension ColumnValue {
  /// The type of the raw value, if that can be stored.
  static var rawType: (any ColumnValue.Type)? {
    func rawType<Value: RawRepresentable>(_ type: Value.Type) -> (any ColumnValue.Type)? {
      Value.RawValue.self as? any ColumnValue.Type
    }
    return (Self.self as? any RawRepresentable.Type).flatMap { rawType($0) }
  }
}

extension ExpressionNode {
  /// Returns the JSON as an argument beside a path: with its keys in the spelling of the path, if
  /// one of the keys may have another one.
  func json(for steps: [JSONStep]) -> ExpressionNode {
    let isSpelledAlike = steps.allSatisfy {
      if case .key(let key) = $0 { !JSONSpelling.hasOtherSpellings(key) } else { true }
    }
    return isSpelledAlike ? self : withPlainKeys
  }

  /// The JSON with its keys in the spelling of `JSONEncoder`.
  var withPlainKeys: ExpressionNode { .function("apus_json", [self]) }

  /// Returns the value at a path inside the JSON in the form in which a column stores the type.
  func jsonValue(at path: ExpressionNode, as type: any ColumnValue.Type) -> ExpressionNode {
    switch JSONReading(type) {
    case .direct: .function("json_extract", [self, path])
    case .converted(let name):
      .function(
        "apus_json_value", [.binary(.jsonArrow, self, path), .constant("'\(name)'")])
    case .json: .function("nullif", [.binary(.jsonArrow, self, path), .constant("'null'")])
    case .unknown(let error): .invalid(error)
    }
  }
}
