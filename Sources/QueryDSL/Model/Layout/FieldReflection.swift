@_spi(Reflection) import Swift

/// A stored property of a struct: its name, its offset in memory, and its type.
struct StoredField {
  let name: String
  let offset: Int
  let type: Any.Type
}

/// Reads the stored properties of a struct and the cases of an enumeration from the runtime's metadata
/// of the type, without an instance. No other file uses this interface of the standard library. On
/// Apple's platforms it has the same name and needs the same SPI import.
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

extension FieldReflection {
  /// Returns what distinguishes the cases of an enumeration: the raw values or, if a case has
  /// associated values, the names. Nil if the type is not an enumeration, or if its module is
  /// compiled without reflection metadata.
  ///
  /// `CaseIterable` would need a conformance. The standard library reads the names of cases, for
  /// `String(describing:)`, only of an instance. So this reads the same records of the ABI: the
  /// metadata of an enumeration refers to its descriptor, the descriptor to the descriptor of the
  /// fields, and that lists a record for each case. References are relative.
  /// - SeeAlso: <https://github.com/swiftlang/swift/blob/main/docs/ABI/TypeMetadata.rst>
  static func cases<Enumeration>(of type: Enumeration.Type) -> [String]? {
    // Metadata is never freed, and none of it is written after the type exists.
    let metadata = unsafeBitCast(type as Any.Type, to: UnsafeRawPointer.self)
    let enumerationKind: UInt = 0x201
    guard metadata.load(as: UInt.self) == enumerationKind else { return nil }
    let descriptor = metadata.load(
      fromByteOffset: MemoryLayout<UInt>.size, as: UnsafeRawPointer.self)
    guard let fields = (descriptor + 16).relative else { return nil }
    let size = Int(fields.load(fromByteOffset: 10, as: UInt16.self))
    let count = Int(fields.load(fromByteOffset: 12, as: UInt32.self))
    let records = (0..<count).map { fields + 16 + $0 * size }
    let haveValues = records.contains { ($0 + 4).relative != nil }
    guard !haveValues, count <= 256, MemoryLayout<Enumeration>.size <= 1 else {
      return records.compactMap { record in
        (record + 8).relative.map { String(cString: $0.assumingMemoryBound(to: CChar.self)) }
      }
    }
    // Cases without values are numbered in their order, and the number is the value in memory.
    return (0..<count).map { number in
      withUnsafeBytes(of: UInt8(number)) { memory in
        let value = memory.load(as: Enumeration.self)
        guard let raw = value as? any RawRepresentable else { return String(describing: value) }
        return String(describing: raw.rawValue)
      }
    }
  }
}

extension UnsafeRawPointer {
  /// The address to which a relative reference at this place leads; nil if there is none.
  fileprivate var relative: UnsafeRawPointer? {
    let distance = load(as: Int32.self)
    return distance == 0 ? nil : self + Int(distance)
  }
}
