// swift-format-ignore-file

// The declarations of Apple's TabularData that the library uses, as in
// <https://developer.apple.com/documentation/tabulardata>: `dataframe/append(column:)-aema`,
// `dataframeprotocol/columns`, `anycolumn/assumingtype(_:)`, `anycolumnprotocol/wrappedelementtype`,
// `anycolumnprotocol/name`, `column/init(name:contents:)`, `column/element`.

public struct Column<WrappedElement>: RandomAccessCollection {
  public typealias Element = WrappedElement?

  public var name: String

  public init<S: Sequence>(name: String, contents: S) where S.Element == WrappedElement? {
    self.name = name
  }
  public init<S: Sequence>(name: String, contents: S) where S.Element == WrappedElement {
    self.name = name
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { 0 }
  public subscript(position: Int) -> WrappedElement? { nil }
}

public struct AnyColumn {
  public var name: String
  public var wrappedElementType: any Any.Type { Any.self }
  public func assumingType<T>(_ type: T.Type) -> Column<T> { Column(name: name, contents: [T]()) }
}

public struct DataFrame {
  public init() {}
  public var columns: [AnyColumn] { [] }
  public mutating func append<T>(column: Column<T>) {}
  public mutating func append(column: AnyColumn) {}
}
