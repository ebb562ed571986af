private let cursor: PageCursor<Post> = unavailable()
