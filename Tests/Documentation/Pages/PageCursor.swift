private let cursor: PageCursor<Post> = unavailable()
private let token: String? = nil
