#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension JSONEncoder {
  /// Whether each `Unique64` is encoded as a string, for readers that round large integers, such as
  /// JavaScript. Off unless it is set.
  ///
  /// ```swift
  /// let encoder = JSONEncoder()
  /// encoder.encodesUnique64AsString = true
  /// try encoder.encode(post)            // {"id":"3301234567890123456","title":"Sports"}
  /// ```
  ///
  /// Decoding accepts integers and strings in any case. The setting is an entry of `userInfo`.
  public var encodesUnique64AsString: Bool {
    get { Unique64.encodesAsString(userInfo) }
    set {
      guard let key = Unique64.stringKey else { return }
      userInfo[key] = newValue
    }
  }
}

extension Unique64 {
  fileprivate static let stringKey = CodingUserInfoKey(rawValue: "apus.unique64AsString")

  /// Whether an encoder with this `userInfo` encodes ids as strings.
  static func encodesAsString<Value>(_ userInfo: [CodingUserInfoKey: Value]) -> Bool {
    guard let key = stringKey else { return false }
    return userInfo[key] as? Bool == true
  }
}
