private let other = Post.ID()
private let scores = [Score(player: 1, points: 2)]
private let person: Person = unavailable()
private let encoder = JSONEncoder()
