import Apus
import HTTPTypes
import Hummingbird

extension Request {
  /// Returns the cursor that the address of the request contains; nil if the address has no cursor.
  /// The requested page begins after this cursor.
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
  /// Throws `DatabaseFailure` with the status 400 if the parameter is not the text of a cursor. If
  /// the cursor belongs to another order, the error is found only when the query runs, which then
  /// throws `QueryError`.
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

  /// Returns a header `Link` with the address of the page that begins after a cursor. This is the
  /// address of the request with the given cursor.
  ///
  /// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc8288>
  public func nextPage<Rows>(
    after cursor: PageCursor<Rows>, _ parameter: String = "after"
  ) -> HTTPField {
    let others = (uri.query ?? "").split(separator: "&").filter {
      $0 != parameter && !$0.hasPrefix("\(parameter)=")
    }
    // The text of a cursor contains only characters that need no percent-encoding.
    let query = (others + ["\(parameter)=\(cursor)"]).joined(separator: "&")
    return HTTPField(name: .link, value: "<\(uri.path)?\(query)>; rel=\"next\"")
  }
}
