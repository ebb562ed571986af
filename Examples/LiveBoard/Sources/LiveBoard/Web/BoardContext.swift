import Hummingbird

/// What is known of a request while it is answered.
struct BoardContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// The person that the browser chose; nil for programs and new browsers.
  var person: Person?

  init(source: Source) {
    coreContext = .init(source: source)
  }

  var maxUploadSize: Int { Limits.body }
}
