import Hummingbird

/// The context of a request: its path parameters, and the person of the browser.
struct BoardContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// The person that the browser chose; nil for programs and new browsers.
  var person: Person?

  init(source: Source) {
    coreContext = .init(source: source)
  }

  var maxUploadSize: Int { Limits.body }
}
