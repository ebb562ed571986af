private let card: Card = unavailable()
