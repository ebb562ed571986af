import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// SQLite's JSON functions take INTEGER, REAL, TEXT, NULL and JSON, which is a TEXT with a subtype.
// The subtype is lost in tables, subqueries and views. Therefore only the Swift type of an argument
// decides how the argument is written: JSON gets the subtype by a call of `json`, and a text loses
// the subtype that it may have. https://www.sqlite.org/json1.html#interface_overview

extension SQLExpression {
  /// The expression as an argument of a JSON function such as `json_array`. `JSONDecoder` can then
  /// decode the argument, inside the result, as a value of the expression's type.
  var jsonNode: ExpressionNode { node.asJSON(of: Value.self, form) }
}

extension ExpressionNode {
  /// Returns the expression as an argument of a JSON function. For example, a stored date is
  /// converted to the default format of `JSONDecoder`.
  func asJSON(of type: any ColumnValue.Type, _ form: StoredForm) -> ExpressionNode {
    switch type.nonOptional {
    case is Int.Type, is Int64.Type, is Int32.Type, is Int16.Type, is Int8.Type, is UInt.Type,
      is UInt64.Type, is UInt32.Type, is UInt16.Type, is UInt8.Type:
      return self
    case is Unique64.Type: return .cast(self, .text)
    case is String.Type, is URL.Type: return withoutJSONSubtype
    case is UUID.Type: return form == .bytes ? written(by: "apus_json_uuid") : withoutJSONSubtype
    case is Bool.Type: return json(of: .cases(boolean))
    case is Double.Type, is Float.Type: return written(by: "apus_json_real")
    case is Decimal.Type: return written(by: "decimal")
    case is Date.Type:
      return written(by: "apus_json_date", .constant("'\(form)'"))
    case is Data.Type: return written(by: "apus_json_base64")
    case is [UInt8].Type: return written(by: "apus_json_bytes")
    case is any JSONColumnValue.Type: return hasJSONSubtype ? self : json(of: self)
    case let type:
      if let raw = type.rawType { return asJSON(of: raw, form) }
      return .invalid(
        QueryError(
          "SQL cannot write a value of \(type) as JSON; convert it with cast(to:), or select it "
            + "beside the JSON"))
    }
  }

  /// The JSON text of a Bool: `true` for 1 and `false` for 0. Any other number is left as it is, so
  /// that decoding it as a Bool fails.
  private var boolean: CaseNode {
    CaseNode(
      base: self,
      branches: [
        (.value(.constant("1")), .constant("'true'")),
        (.value(.constant("0")), .constant("'false'")),
      ], otherwise: self)
  }

  private func written(by function: String, _ others: ExpressionNode...) -> ExpressionNode {
    json(of: .function(function, [self] + others))
  }

  private func json(of text: ExpressionNode) -> ExpressionNode { .function("json", [text]) }

  /// The expression as a plain text without the JSON subtype. Functions such as `json_array` write
  /// it as a string, even if the expression is a call that returns JSON.
  private var withoutJSONSubtype: ExpressionNode {
    mayHaveJSONSubtype ? .binary(.concat, self, .constant("''")) : self
  }

  /// Whether the expression is a call, such as `json_array(a)`, whose result SQLite marks as JSON.
  private var hasJSONSubtype: Bool {
    guard case .tree(.function(let name, _), _) = self else { return false }
    return ["json", "json_array", "json_object"].contains(name)
  }

  private var mayHaveJSONSubtype: Bool {
    switch self {
    case .column, .rowID, .value, .parameter, .constant, .countOfRows: false
    case .adapting(let adapting): adapting.standard.mayHaveJSONSubtype
    case .chain(let chain): chain.sign == .jsonArrow
    case .tree(.function(let name, _), _): !Self.functionsOfPlainText.contains(name)
    default: true
    }
  }

  private static let functionsOfPlainText: Set<String> = [
    "apus_json_value", "hex", "lower", "ltrim", "replace", "rtrim", "strftime", "substr", "trim",
    "typeof", "upper",
  ]
}

/// The way in which SQL converts a value inside JSON to the form in which a column of the value's
/// type stores it.
enum JSONReading {
  /// No conversion is needed: `json_extract` returns the value in the form in which a column stores
  /// it. The associated value is the name of the type, such as `Int`.
  case direct(String)
  /// The SQL function `apus_json_value` converts the value. The associated value is the second
  /// argument of this function, such as `Date`.
  case converted(String)
  /// The value is read as JSON, without a conversion.
  case json
  /// SQL cannot convert the value.
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
  /// The type of the raw value; nil if this type has no raw value that can be stored.
  static var rawType: (any ColumnValue.Type)? {
    func rawType<Value: RawRepresentable>(_ type: Value.Type) -> (any ColumnValue.Type)? {
      Value.RawValue.self as? any ColumnValue.Type
    }
    return (Self.self as? any RawRepresentable.Type).flatMap { rawType($0) }
  }
}

extension ExpressionNode {
  /// Returns this JSON as the first argument of an SQL function whose second argument is the path
  /// `steps`. JSON can spell a key in several ways, such as `"\u00e9"` for `é`. If a key of the
  /// path has several spellings, the JSON is first converted to the spelling that `JSONEncoder`
  /// uses.
  func json(for steps: [JSONStep]) -> ExpressionNode {
    let isSpelledAlike = steps.allSatisfy {
      if case .key(let key) = $0 { !JSONSpelling.hasOtherSpellings(key) } else { true }
    }
    return isSpelledAlike ? self : withPlainKeys
  }

  /// The JSON with its keys as `JSONEncoder` spells them, such as `é` instead of `\u00e9`.
  var withPlainKeys: ExpressionNode { .function("apus_json", [self]) }

  /// Returns the value at a path inside the JSON, in the form in which a column of `type` stores
  /// it.
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
