private let other: Post.ID = unavailable()
