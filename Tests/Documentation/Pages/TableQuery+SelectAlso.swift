private let titles = Post.select(\.$id, \.$title)
