import QueryDSL
import SQLCore

/// A decoder that gives the values of one row to the `init(from:)` of a class. An instance of a
/// class can be made only by this initialiser. The keys are the names of the class's stored
/// properties.
struct PlainDecoder: Decoder {
  private let type: Any.Type
  private let fields: [PlainField]
  private let values: [DatabaseValue]
  private let table: TableName

  init(
    _ type: Any.Type, _ fields: [PlainField], _ values: [DatabaseValue], in table: TableName
  ) {
    self.type = type
    self.fields = fields
    self.values = values
    self.table = table
  }

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy _: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(Columns(decoder: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw unreadable("an array")
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    throw unreadable("a single value")
  }

  private func unreadable(_ what: String) -> ModelError {
    ModelError(
      type,
      "its `init(from:)` asks for \(what), which no column has: its keys must be the names of its "
        + "stored properties, without `CodingKeys` that rename them")
  }

  /// A container that finds the value of each coding key in the row. The standard library has no
  /// public container that could be used for this.
  private struct Columns<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: PlainDecoder

    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { decoder.fields.compactMap { Key(stringValue: $0.name) } }

    private func index(of key: Key) throws -> Int {
      guard let index = decoder.fields.firstIndex(where: { $0.name == key.stringValue }) else {
        throw decoder.unreadable("the key \"\(key.stringValue)\"")
      }
      return index
    }

    // A coding key that is not the name of a property must be an error, because its value would
    // never be stored. So this method returns true for every key. Decoding such a key then throws.
    func contains(_: Key) -> Bool { true }

    func decodeNil(forKey key: Key) throws -> Bool {
      decoder.values[try index(of: key)].isNull
    }

    func decode<Value: Decodable>(_: Value.Type, forKey key: Key) throws -> Value {
      let index = try index(of: key)
      let field = decoder.fields[index]
      do {
        guard let value = try field.read(decoder.values[index]) as? Value else {
          throw decoder.unreadable("\(field.name) as \(Value.self)")
        }
        return value
      } catch {
        throw decoder.fields.locate(
          error, atFieldNumber: index, of: decoder.values, in: decoder.table)
      }
    }

    func nestedContainer<NestedKey: CodingKey>(
      keyedBy _: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
      throw decoder.unreadable("parts of \(key.stringValue)")
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      throw decoder.unreadable("parts of \(key.stringValue)")
    }

    // A superclass decodes its properties from the same row as the class.
    func superDecoder() -> any Decoder { decoder }
    func superDecoder(forKey _: Key) -> any Decoder { decoder }
  }
}
