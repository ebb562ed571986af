// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// A stand-in for the declarations of SwiftUI that `ApusSwiftUI` and its README lines use, with the
// signatures of Apple's module. Only the check on systems without SwiftUI builds it: see
// Package.swift. Views are not drawn. Tests drive a property wrapper as SwiftUI does: they install
// it in a `StandInPlace`, which calls `update()` before the wrapped value is read.

@_exported import Observation

@MainActor @preconcurrency
public protocol View {
  associatedtype Body: View
  @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: View {
  public var body: Never { fatalError("a view without a body") }
}

/// A view that draws nothing and has no body.
public protocol StandInPrimitive: View where Body == Never {}
extension StandInPrimitive {
  public var body: Never { fatalError("a view without a body") }
}

public struct EmptyView: StandInPrimitive {
  public nonisolated init() {}
}

public struct Text: StandInPrimitive {
  public let text: String
  public nonisolated init<S: StringProtocol>(_ content: S) { text = String(content) }
}

public struct Button: StandInPrimitive {
  public init<S: StringProtocol>(_ title: S, action: @escaping @MainActor () -> Void) {}
}

public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View>: StandInPrimitive {
  public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content)
  where Data.Element: Identifiable, ID == Data.Element.ID {}

  public init(
    _ data: Data, id: KeyPath<Data.Element, ID>,
    @ViewBuilder content: @escaping (Data.Element) -> Content
  ) {}
}

public struct List<Content: View>: StandInPrimitive {
  public init<Data: RandomAccessCollection, Row: View>(
    _ data: Data, @ViewBuilder rowContent: @escaping (Data.Element) -> Row
  ) where Data.Element: Identifiable, Content == ForEach<Data, Data.Element.ID, Row> {}

  public init(@ViewBuilder content: () -> Content) {}
}

nonisolated public struct _ConditionalContent<TrueContent: View, FalseContent: View>:
  StandInPrimitive
{
  public enum Storage {
    case first(TrueContent)
    case second(FalseContent)
  }
  public let storage: Storage
}

nonisolated public struct TupleView<T>: StandInPrimitive {
  public let value: T
}

@resultBuilder
public struct ViewBuilder {
  public static func buildBlock() -> EmptyView { EmptyView() }
  public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
  public static func buildBlock<each Content: View>(
    _ content: repeat each Content
  ) -> TupleView<(repeat each Content)> {
    TupleView(value: (repeat each content))
  }
  public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
  public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
  public static func buildEither<T: View, F: View>(first: T) -> _ConditionalContent<T, F> {
    _ConditionalContent(storage: .first(first))
  }
  public static func buildEither<T: View, F: View>(second: F) -> _ConditionalContent<T, F> {
    _ConditionalContent(storage: .second(second))
  }
}

extension Optional: View where Wrapped: View {
  public var body: Never { fatalError("a view without a body") }
}
extension Optional: StandInPrimitive where Wrapped: View {}

extension View {
  /// Keeps the value for tests, which find it in `StandInModified`.
  public nonisolated func environment<V>(
    _ keyPath: WritableKeyPath<EnvironmentValues, V>, _ value: V
  ) -> some View {
    StandInModified(content: self) { $0[keyPath: keyPath] = value }
  }

  public func refreshable(action: @escaping @Sendable () async -> Void) -> some View { self }

  public func onChange<V: Equatable>(
    of value: V, initial: Bool = false, _ action: @escaping (V, V) -> Void
  ) -> some View { self }
}

/// A view with a change of its environment.
nonisolated public struct StandInModified<Content: View>: StandInPrimitive {
  public let content: Content
  let modify: (inout EnvironmentValues) -> Void

}

/// The content of a view: the branch that its conditions chose, with the environment it was given.
@MainActor
public struct StandInContent {
  public private(set) var view: any View
  public private(set) var environment = EnvironmentValues()

  public init(_ view: any View) {
    self.view = view
    while let part = self.view as? any StandInWrapping {
      part.change(&environment)
      self.view = part.wrapped
    }
  }
}

/// A view that stands for another one.
@MainActor
protocol StandInWrapping {
  var wrapped: any View { get }
  func change(_ environment: inout EnvironmentValues)
}

extension StandInModified: StandInWrapping {
  var wrapped: any View { content }
  func change(_ environment: inout EnvironmentValues) { modify(&environment) }
}

extension _ConditionalContent: StandInWrapping {
  var wrapped: any View {
    switch storage {
    case .first(let view): view
    case .second(let view): view
    }
  }
  func change(_ environment: inout EnvironmentValues) {}
}
