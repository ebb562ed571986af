#if canImport(SwiftUI)
  import Apus
  import Observation
  import SwiftUI

  /// The storage of a `Live` property while its view is on the screen. It holds the object that
  /// follows the request.
  ///
  /// At first, the store follows nothing. Then it follows one request in one database at a time.
  @MainActor
  @Observable
  final class LiveStore<Value> {
    /// The number of requests that `show` has begun. It is observed, so that the view is drawn
    /// again after such a request. Changes of the result itself are observed through the object.
    private var generation = 0
    @ObservationIgnored private var object: (any LiveObject<Value>)?
    /// The result that was shown before the present object was made. It is shown until the object
    /// has a result.
    @ObservationIgnored private var last: Value?
    /// The request of the view's declaration.
    @ObservationIgnored private var declared: AnyHashable?
    /// The request of `show`, which replaces the declared one.
    @ObservationIgnored private var chosen: LiveRequest<Value>?
    @ObservationIgnored private var followed: Followed?
    @ObservationIgnored private var database: Database?
    @ObservationIgnored private var animation: Animation?

    private struct Followed: Equatable {
      let request: AnyHashable
      let database: ObjectIdentifier
    }

    // Each call of a view's initializer makes a store, but SwiftUI keeps only the first one.
    nonisolated init() {}

    /// The result that the property shows; nil before the first result is loaded.
    var value: Value? {
      _ = generation
      guard let object else { return last }
      if case .loading = object.phase { return last }
      return object.shown ?? last
    }

    var phase: LivePhase {
      _ = generation
      return object?.phase ?? .failed(NoDatabase())
    }

    func refresh() async {
      await object?.refresh()
    }

    /// Follows a request of the view's declaration, unless it is followed already.
    ///
    /// This is called while the view is updated. The view reads the new state after this call, so
    /// it need not be notified of the change.
    func follow(
      _ request: LiveRequest<Value>, in database: Database?, _ animation: Animation?
    ) {
      if declared != request.identity { chosen = nil }
      declared = request.identity
      self.database = database
      self.animation = animation
      begin(chosen ?? request)
    }

    /// Follows a request in place of the declared one.
    func show(_ request: LiveRequest<Value>) {
      chosen = request
      begin(request)
      generation += 1
    }

    /// Returns a closure that applies a change in an animation.
    private static func applying(_ animation: Animation) -> @Sendable (() -> Void) -> Void {
      { change in withAnimation(animation, change) }
    }

    private func begin(_ request: LiveRequest<Value>) {
      guard let database else {
        last = value
        object = nil
        followed = nil
        return
      }
      let wanted = Followed(request: request.identity, database: ObjectIdentifier(database))
      guard wanted != followed else { return }
      // The last result is kept only if it came from the same database.
      last = followed?.database == wanted.database ? value : nil
      followed = wanted
      object = request.begin(database, animation.map(Self.applying))
    }
  }
#endif
