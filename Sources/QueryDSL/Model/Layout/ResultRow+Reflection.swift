import SQLCore

extension ResultRow {
  /// A mirror of the properties with their names and values, which `print`, `dump` and tests show
  /// in place of the wrappers.
  public var customMirror: Mirror {
    guard let fields = FieldReflection.fields(of: Self.self) else {
      return Mirror(self, children: [])
    }
    return withUnsafeBytes(of: self) { memory in
      guard let row = memory.baseAddress else { return Mirror(self, children: []) }
      let children = fields.map { field -> Mirror.Child in
        func value<Value>(_: Value.Type) -> Any {
          (row + field.offset).assumingMemoryBound(to: Value.self).pointee
        }
        let stored = _openExistential(field.type, do: value)
        guard let wrapper = stored as? any ReflectedWrapper else { return (field.name, stored) }
        // The stored property of a wrapper has the name of the wrapped property, with an underscore
        // prefix.
        return (String(field.name.dropFirst()), wrapper.reflectedValue)
      }
      return Mirror(self, children: children, displayStyle: .struct)
    }
  }
}

/// A wrapper that a mirror replaces by its value.
private protocol ReflectedWrapper {
  var reflectedValue: Any { get }
}

extension Column: ReflectedWrapper {
  fileprivate var reflectedValue: Any { wrappedValue }
}

extension Embedded: ReflectedWrapper {
  fileprivate var reflectedValue: Any { wrappedValue }
}

extension PrimaryKey: ReflectedWrapper {
  fileprivate var reflectedValue: Any { wrappedValue }
}

extension Ignored: ReflectedWrapper {
  fileprivate var reflectedValue: Any { wrappedValue as Any }
}
