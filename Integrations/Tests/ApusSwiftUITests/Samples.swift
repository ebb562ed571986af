import Apus
import ApusSwiftUI
import SwiftUI

struct Post: Model, Equatable {
  @PrimaryKey var id: Int64?
  @Column var title: String
  @Column var views = 0
}

/// Opens a database file with posts of the given titles; each has as many views as its index.
func openPosts(_ titles: String...) throws -> Database {
  let db = try Database.temporary(models: [Post.self])
  try db.write { tx in
    for (index, title) in titles.enumerated() { try tx.insert(Post(title: title, views: index)) }
  }
  return db
}

/// Draws a property as SwiftUI does until a condition holds: updates it, reads it, and waits until
/// something that was read has changed. A condition that never holds hangs, and the watchdog ends
/// it.
@MainActor
func draw<Property: DynamicProperty>(
  _ place: StandInPlace<Property>, until isTrue: (Property) -> Bool
) async {
  while true {
    let (changes, change) = AsyncStream.makeStream(of: Void.self)
    let isDone = withObservationTracking {
      isTrue(place.update())
    } onChange: {
      change.yield()
    }
    if isDone { return }
    for await _ in changes { break }
    // The change is reported before it is made.
    await Task.yield()
  }
}

/// Makes the place of a property in a view whose environment has a database.
@MainActor
func livePlace<Value>(_ live: Live<Value>, in database: Database?) -> StandInPlace<Live<Value>> {
  let place = StandInPlace(live)
  place.environment.database = database
  return place
}
