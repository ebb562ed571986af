private let word: Columns<Word> = unavailable()
private let post: Columns<Post> = unavailable()
private let scores: [Score] = unavailable()
