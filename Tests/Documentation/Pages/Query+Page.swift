private let page: [(row: (String, String), cursor: PageCursor<(String, String)>)] = unavailable()
