import Observation
import QueryDSL
import SQLCore

/// A value for a user interface. A closure reads the value from the database, and the value is kept
/// up to date.
///
/// ```swift
/// let live = LiveValue(in: db) { try $0.count(Post.all) }
/// // a view that reads live.value is drawn again when it changes
/// ```
///
/// The closure may run several statements, which see one snapshot. The closure runs again, on a
/// thread of the database, after each commit that touches what the closure read. Like a
/// `LiveQuery`, the object is `@Observable` and belongs to the actor on which it was created.
///
/// Watching ends when the object is released and when the database is closed. After an error, the
/// closure runs again when `refresh()` is called, and at the next change of anything that the
/// closure read before.
@Observable
public final class LiveValue<Value: Sendable> {
  /// The last value; nil until the first value is read.
  public private(set) var value: Value?
  /// The state of loading.
  public private(set) var phase = LivePhase.loading

  @ObservationIgnored private var task: Task<Void, Never>?
  @ObservationIgnored private let watch: ValueWatch<Value>

  /// Whether the value is loaded and kept up to date.
  public var isLoaded: Bool { phase.isLoaded }

  /// Begins to read and to watch a value. A new value is shown even if it equals the previous
  /// value.
  ///
  /// - Parameter apply: A closure that decides how each value after the first is shown, for example
  ///   in an animation. Its argument is a closure that puts the value into `value`, and `apply`
  ///   must call this argument.
  @_disfavoredOverload
  public convenience init(
    in database: Database, applying apply: (@Sendable (() -> Void) -> Void)? = nil,
    isolation: isolated (any Actor) = #isolation,
    _ read: @escaping @Sendable (Connection) throws -> Value
  ) {
    self.init(ValueWatch(in: database, isSame: nil, read), apply, isolation)
  }

  /// Begins to read and to watch a value. A new value is shown only if it differs from the previous
  /// value.
  ///
  /// - Parameter apply: A closure that decides how each value after the first is shown, for example
  ///   in an animation. Its argument is a closure that puts the value into `value`, and `apply`
  ///   must call this argument.
  public convenience init(
    in database: Database, applying apply: (@Sendable (() -> Void) -> Void)? = nil,
    isolation: isolated (any Actor) = #isolation,
    _ read: @escaping @Sendable (Connection) throws -> Value
  ) where Value: Equatable {
    self.init(ValueWatch(in: database, isSame: { $0 == $1 }, read), apply, isolation)
  }

  private init(
    _ watch: ValueWatch<Value>, _ apply: (@Sendable (() -> Void) -> Void)?,
    _ isolation: isolated any Actor
  ) {
    self.watch = watch
    task = Task { [weak self] in
      var isFirst = true
      await watch.follow(isolation: isolation) { value, phase in
        // The task holds the object weakly, so that it does not keep the object alive. The task
        // ends when the object no longer exists.
        guard let self else { return false }
        applying(isFirst || value == nil ? nil : apply) {
          if let value { self.value = value }
          self.phase.change(to: phase)
        }
        isFirst = false
        return true
      }
    }
  }

  /// Reads the value now, whether or not the value changed, and returns when the value is shown.
  /// `phase` says whether the read succeeded.
  ///
  /// If the database is closed or the task is cancelled, this method returns at once.
  public func refresh() async {
    await watch.watch.refresh()
  }

  deinit {
    task?.cancel()
  }
}
