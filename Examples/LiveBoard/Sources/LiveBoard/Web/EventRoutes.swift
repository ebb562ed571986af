import ApusHummingbird
import Hummingbird

extension BoardServer {
  /// Adds the stream of events that keeps a page up to date.
  func addEvents(to router: Router<BoardContext>) {
    let feed = feed
    router.resource(
      "events",
      [
        .get: { request, context in
          try feed.events.response(to: request, for: context.person?.id) {
            try await feed.whole(for: $0)
          }
        }
      ])
  }
}
