private let hits: [(String, HighlightedText)] = []
private let hit: (id: Post.ID, text: HighlightedText) = unavailable()
private func mark(_ text: Substring) {}
private func escaped(_ text: some StringProtocol) -> String { String(text) }
