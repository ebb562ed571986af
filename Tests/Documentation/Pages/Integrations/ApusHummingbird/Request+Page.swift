nonisolated(unsafe) private let router = Router()
private let newest = PageOrder<Post>.descending(\.$createdAt)
