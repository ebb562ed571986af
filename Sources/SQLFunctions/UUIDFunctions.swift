import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Registration {
  /// The functions `uuid()`, which gives a new random UUID as text, and `uuid_str(x)` and
  /// `uuid_blob(x)`, which convert a UUID to text and to 16 bytes.
  ///
  /// `x` is 16 bytes, or a text of 32 hexadecimal digits with or without hyphens and braces. The
  /// result for any other value is NULL. Text is in lower case, as in columns of type UUID.
  /// - SeeAlso: <https://sqlite.org/src/file/ext/misc/uuid.c>
  public static let uuid = Registration { registrar in
    try registrar.function("uuid", .innocuous) { UUID() }
    let flags: FunctionFlags = [.deterministic, .innocuous]
    try registrar.function("uuid_str", argumentCount: 1, flags) { arguments in
      try UUID(argument: arguments[0])?.databaseValue(as: .standard) ?? nil
    }
    try registrar.function("uuid_blob", argumentCount: 1, flags) { arguments in
      try UUID(argument: arguments[0])?.databaseValue(as: .bytes) ?? nil
    }
  }
}

extension UUID {
  fileprivate init?(argument: DatabaseValue) {
    switch argument {
    case .blob(let bytes) where bytes.count == 16:
      self.init(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
    case .text(let text):
      var digits = text.utf8[...]
      if digits.first == UInt8(ascii: "{"), digits.last == UInt8(ascii: "}") {
        digits = digits.dropFirst().dropLast()
      }
      let hexadecimal = digits.filter { $0 != UInt8(ascii: "-") }
      guard hexadecimal.count == 32 else { return nil }
      var bytes: [UInt8] = []
      for index in stride(from: 0, to: 32, by: 2) {
        guard let high = nibble(hexadecimal[index]), let low = nibble(hexadecimal[index + 1])
        else { return nil }
        bytes.append(high << 4 | low)
      }
      self.init(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
    default:
      return nil
    }
  }
}

private func nibble(_ digit: UInt8) -> UInt8? {
  switch digit {
  case 48...57: digit - 48
  case 65...70: digit - 55
  case 97...102: digit - 87
  default: nil
  }
}
