private func export(_ post: Post) async throws {}
