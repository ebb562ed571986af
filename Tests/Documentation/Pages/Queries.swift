private let word: Columns<Word> = unavailable()
private let post: Columns<Post> = unavailable()
private let scores = [Score(player: 1, points: 2)]
