private let post: Columns<Post> = unavailable()
private let author: Columns<Author> = unavailable()
