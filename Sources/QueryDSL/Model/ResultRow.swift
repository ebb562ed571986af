import SQLCore

/// A struct whose properties are the columns of a result: some columns of a model, the columns of a
/// query in FROM, or the columns of a common table.
///
/// ```swift
/// struct Total: ResultRow {
///   @Column var name: String
///   @Column var views: Int
/// }
///
/// Query { (post: Columns<Post>, author: Columns<Author>) in
///   From(post)
///   Join(author, on: post.$authorID == author.$id)
///   GroupBy(author.$id)
///   Select(author.$name, post.$views.sum().ifNull(0).as("views"), into: Total.self)
/// }
/// ```
///
/// A `ResultRow` is read like a model, by the names and types of its properties, but has no table
/// and no key. Every model is a `ResultRow`. A row is printed with the names and values of its
/// properties: `Total(name: "Jane", views: 3)`.
public protocol ResultRow: _RawRowPart, CustomReflectable {
  /// The declarations that properties cannot express. Default: none.
  ///
  /// A model declares indexes, foreign keys, defaults and stored forms here. A row without a table
  /// declares only names, prefixes and stored forms. The stored form of a property must be the same
  /// as the form of the column that is selected into the property:
  ///
  /// ```swift
  /// struct Visit: ResultRow {
  ///   @Column var name: String
  ///   @Column var day: Date
  ///
  ///   static var schema: Schema<Visit> { Stored(\.$day, as: .iso8601) }
  /// }
  /// ```
  @SchemaBuilder<Self> static var schema: Schema<Self> { get }
}

extension ResultRow {
  /// An empty schema.
  public static var schema: Schema<Self> { Schema(elements: []) }
}

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
        // The stored property of a wrapper is named like the wrapped property, with an underscore
        // before the name. The underscore is removed here.
        return (String(field.name.dropFirst()), wrapper.reflectedValue)
      }
      return Mirror(self, children: children, displayStyle: .struct)
    }
  }
}

/// A property wrapper that a mirror does not show. The mirror has the wrapped value in its place.
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
