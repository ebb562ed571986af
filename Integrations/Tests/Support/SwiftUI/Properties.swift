// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// The property wrappers and the environment of the stand-in.

public protocol DynamicProperty {
  mutating func update()
}

extension DynamicProperty {
  public mutating func update() {}
}

@propertyWrapper
public struct State<Value>: DynamicProperty {
  /// The storage that SwiftUI keeps for a view. A view that is made again uses that of the first.
  private final class Storage {
    var value: Value
    var kept: Storage?
    init(_ value: Value) { self.value = value }
  }

  private let storage: Storage

  public init(wrappedValue value: Value) { storage = Storage(value) }
  public init(initialValue value: Value) { storage = Storage(value) }

  public var wrappedValue: Value {
    get { (storage.kept ?? storage).value }
    nonmutating set { (storage.kept ?? storage).value = newValue }
  }
}

extension State: StandInStored {
  func adopt(_ earlier: Any) {
    guard let earlier = earlier as? State else { return }
    storage.kept = earlier.storage.kept ?? earlier.storage
  }
}

/// A property whose storage outlives the value of the view.
protocol StandInStored {
  func adopt(_ earlier: Any)
}

public protocol EnvironmentKey {
  associatedtype Value
  static var defaultValue: Value { get }
}

public struct EnvironmentValues {
  private var values: [ObjectIdentifier: Any] = [:]

  public init() {}

  public subscript<K: EnvironmentKey>(key: K.Type) -> K.Value {
    get { values[ObjectIdentifier(key)] as? K.Value ?? K.defaultValue }
    set { values[ObjectIdentifier(key)] = newValue }
  }

  /// The environment of the view that is updated; SwiftUI has one for each view.
  @TaskLocal public static var standIn = EnvironmentValues()
}

// The stand-in is used on the main actor only, as SwiftUI's environment is.
extension EnvironmentValues: @unchecked Sendable {}

@frozen @propertyWrapper
public struct Environment<Value>: DynamicProperty {
  private let keyPath: KeyPath<EnvironmentValues, Value>

  public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { self.keyPath = keyPath }

  public var wrappedValue: Value { EnvironmentValues.standIn[keyPath: keyPath] }
}

@frozen
public struct Animation: Equatable, Sendable {
  public let name: String
  public static let `default` = Animation(name: "default")
  public static var easeInOut: Animation { Animation(name: "easeInOut") }
}

/// Notes the animation for tests, and runs the closure.
public func withAnimation<Result>(
  _ animation: Animation? = .default, _ body: () throws -> Result
) rethrows -> Result {
  MainActor.assumeIsolated { StandInAnimations.all.append(animation) }
  return try body()
}

/// The animations with which `withAnimation` was called.
@MainActor
public enum StandInAnimations {
  public static var all: [Animation?] = []
}

/// The place of a property in a view, as SwiftUI keeps it between two values of the view.
@MainActor
public final class StandInPlace<Property: DynamicProperty> {
  public private(set) var property: Property
  public var environment = EnvironmentValues()

  public init(_ property: Property) { self.property = property }

  /// Replaces the property by that of a view which was made again: its state stays.
  public func replace(with new: Property) {
    for (old, new) in zip(Mirror(reflecting: property).children, Mirror(reflecting: new).children) {
      (new.value as? any StandInStored)?.adopt(old.value)
    }
    property = new
  }

  /// Updates the property, as SwiftUI does before it asks a view for its body.
  @discardableResult
  public func update() -> Property {
    EnvironmentValues.$standIn.withValue(environment) { property.update() }
    return property
  }
}
