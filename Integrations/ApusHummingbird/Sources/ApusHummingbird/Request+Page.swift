import Apus
import HTTPTypes
import Hummingbird

extension Request {
  /// Returns the cursor in the address, after which a page begins; nil for the first page.
  ///
  /// ```swift
  /// router.get("posts") { request, context in
  ///   let cursor = try request.pageCursor(of: Post.self)
  ///   let posts = try await db.fetch(Post.page(after: cursor, by: newest).limit(20))
  ///   var response = try context.responseEncoder.encode(posts, from: request, context: context)
  ///   if posts.count == 20, let last = posts.last {
  ///     response.headers.append(request.nextPage(after: try newest.cursor(after: last)))
  ///   }
  ///   return response
  /// }
  /// ```
  ///
  /// Throws `DatabaseFailure` with the status 400 if the parameter is not the text of a cursor. A cursor
  /// of another order is found when the query runs, which throws `QueryError`.
  public func pageCursor<Rows>(
    _ parameter: String = "after", of rows: Rows.Type = Rows.self
  ) throws -> PageCursor<Rows>? {
    guard let text = uri.queryParameters[parameter[...]], !text.isEmpty else { return nil }
    do {
      return try PageCursor(String(text))
    } catch {
      throw DatabaseFailure(error) ?? error
    }
  }

  /// Returns a header `Link` to the page after a cursor: the address of this request with the cursor
  /// in place of its own.
  ///
  /// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc8288>
  public func nextPage<Rows>(
    after cursor: PageCursor<Rows>, _ parameter: String = "after"
  ) -> HTTPField {
    let others = (uri.query ?? "").split(separator: "&").filter {
      $0 != parameter && !$0.hasPrefix("\(parameter)=")
    }
    // The text of a cursor needs no escapes.
    let query = (others + ["\(parameter)=\(cursor)"]).joined(separator: "&")
    return HTTPField(name: .link, value: "<\(uri.path)?\(query)>; rel=\"next\"")
  }
}
