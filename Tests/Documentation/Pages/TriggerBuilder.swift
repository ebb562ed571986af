private let old: Columns<Post> = unavailable()
