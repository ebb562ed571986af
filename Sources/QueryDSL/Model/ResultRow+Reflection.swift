import SQLCore

extension ResultRow {
  /// The properties by their names, with their values: what `print`, `dump` and tests show, in the
  /// place of the wrappers behind them.
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
        // The property behind a wrapper is called as the wrapped one, with an underscore before it.
        return (String(field.name.dropFirst()), wrapper.reflectedValue)
      }
      return Mirror(self, children: children, displayStyle: .struct)
    }
  }
}

/// A wrapper that is not to be seen where its property is printed.
private protocol ReflectedWrapper {
  var reflectedValue: Any { get }
}

extension Column: ReflectedWrapper {
  fileprivate var reflectedValue: Any { wrappedValue }
}

extension PrimaryKey: ReflectedWrapper {
  fileprivate var reflectedValue: Any { wrappedValue }
}

extension Ignored: ReflectedWrapper {
  fileprivate var reflectedValue: Any { wrappedValue as Any }
}
