import Apus
import Foundation
import Hummingbird

/// The fields of a form, or of the query of an address.
struct Fields {
  private var values: [String: String] = [:]

  /// Parses `name=value&…`. Throws a `Refusal` if a name or a value is not valid UTF-8, or if a
  /// name occurs twice.
  init(parsing text: some StringProtocol) throws {
    for pair in text.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = Self.decoded(parts[0]),
        let value = Self.decoded(parts.count > 1 ? parts[1] : "")
      else { throw Refusal.badRequest("the fields are not valid UTF-8 in percent encoding") }
      guard values.updateValue(value, forKey: name) == nil else {
        throw Refusal.badRequest("the field is given twice", field: name)
      }
    }
  }

  private static func decoded(_ text: some StringProtocol) -> String? {
    text.replacingOccurrences(of: "+", with: " ").removingPercentEncoding
  }

  subscript(name: String) -> String? { values[name] }

  func require(_ name: String) throws -> String {
    guard let value = values[name] else {
      throw Refusal.badRequest("the field \(name) is missing", field: name)
    }
    return value
  }

  func int(_ name: String) throws -> Int? {
    guard let text = values[name] else { return nil }
    guard let number = Int(text) else {
      throw Refusal.badRequest("the field \(name) is not an integer", field: name)
    }
    return number
  }

  /// Returns a key; nil if the field is missing or empty.
  func id(_ name: String) throws -> Unique64? {
    guard let text = values[name], !text.isEmpty else { return nil }
    guard let number = Int64(text) else {
      throw Refusal.badRequest("the field \(name) is not a key", field: name)
    }
    return Unique64(rawValue: number)
  }
}

extension Request {
  /// The fields of the address.
  func queryFields() throws -> Fields {
    try Fields(parsing: uri.query ?? "")
  }

  /// The fields of the form in the body.
  func formFields(_ context: BoardContext) async throws -> Fields {
    guard mediaType == "application/x-www-form-urlencoded" || mediaType == nil else {
      throw Refusal(
        status: .unsupportedMediaType, code: "media-type",
        reason: "the body must be application/x-www-form-urlencoded")
    }
    return try Fields(parsing: try await bodyText(context))
  }

  /// The JSON in the body.
  func json<Value: Decodable>(_ type: Value.Type, _ context: BoardContext) async throws -> Value {
    guard mediaType == "application/json" else {
      throw Refusal(
        status: .unsupportedMediaType, code: "media-type",
        reason: "the body must be application/json")
    }
    let text = try await bodyText(context)
    do {
      return try JSONDecoder().decode(type, from: Data(text.utf8))
    } catch let error as DecodingError {
      throw Refusal(error)
    }
  }

  private var mediaType: String? {
    headers[.contentType].map { String($0.prefix { $0 != ";" && $0 != " " }).lowercased() }
  }

  private func bodyText(_ context: BoardContext) async throws -> String {
    if let length = headers[.contentLength].flatMap(Int.init), length > context.maxUploadSize {
      throw Refusal.tooLarge
    }
    let buffer = try await body.collect(upTo: context.maxUploadSize)
    guard let text = String(validating: buffer.readableBytesView, as: UTF8.self) else {
      throw Refusal.badRequest("the body is not valid UTF-8")
    }
    return text
  }
}

extension Refusal {
  /// Creates a refusal from a decoding error. Its reason names the field of the JSON that cannot be
  /// decoded.
  init(_ error: DecodingError) {
    func path(_ context: DecodingError.Context, _ last: (any CodingKey)? = nil) -> String {
      (context.codingPath + [last].compactMap(\.self)).map(\.stringValue).joined(separator: ".")
    }
    let field: String
    let reason: String
    switch error {
    case .keyNotFound(let key, let context):
      field = path(context, key)
      reason = "the field \(field) is missing"
    case .valueNotFound(_, let context):
      field = path(context)
      reason = "the field \(field) is null"
    case .typeMismatch(let type, let context):
      field = path(context)
      reason =
        field.isEmpty
        ? "the body is not a JSON object" : "the field \(field) has another type than \(type)"
    case .dataCorrupted(let context):
      field = path(context)
      reason = field.isEmpty ? "the body is not valid JSON" : "the field \(field) cannot be read"
    @unknown default:
      field = ""
      reason = "the body cannot be read"
    }
    self = .badRequest(reason, field: field.isEmpty ? nil : field)
  }
}

extension BoardContext {
  /// Returns the key in the path.
  func id(_ name: String = "id") throws -> Unique64 {
    guard let text = parameters.get(name), let number = Int64(text) else {
      throw Refusal(status: .notFound, code: "not-found", reason: "the path has no valid key")
    }
    return Unique64(rawValue: number)
  }
}
