nonisolated(unsafe) private let router = Router()
