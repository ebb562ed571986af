private let other: Post.ID = unavailable()
private let scores: [Score] = unavailable()
private let person: Person = unavailable()
private let encoder = JSONEncoder()
