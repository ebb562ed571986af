import Apus
import ApusHistory
import HTTPTypes
import Hummingbird

/// An answer to a request for which the database has thrown an error. It has a status, a code for
/// programs and, if they are useful to the client, the table and the columns. It has no paths, no
/// SQL and no values.
///
/// ```json
/// {"error": {"code": "unique", "columns": ["email"], "message": "another row has the same email",
///   "table": "User"}}
/// ```
///
/// | Error | Status | `code` |
/// |---|---|---|
/// | `RecordNotFound` | 404 | `not_found` |
/// | a UNIQUE constraint or key | 409 | `unique` |
/// | a foreign key | 409 | `foreign_key` |
/// | a CHECK, NOT NULL, or the type of a column | 422 | `invalid` |
/// | RAISE in a trigger, `WriteIgnored`, `ChangeConflicts`, `HistoryError` | 409 | `conflict` |
/// | a text that is no page cursor, or a cursor of another order | 400 | `page_cursor` |
/// | `LogError.expired` and `.incomplete` | 410 | `expired` |
/// | a value that has no stored form, such as NaN | 422 | `invalid` |
/// | a text or row that is too large | 413 | `too_large` |
/// | `.busy`, `.locked`, `.abort`, an interruption, `DeadlineExceeded`, `TooManyStreams`, `SharedTransactionRolledBack`, a session that was lost without effect | 503 with `Retry-After` | `busy` |
/// | a database that is open for reading only | 503 | `read_only` |
/// | a full disk | 507 | `full` |
///
/// Other errors have no answer of their own: Hummingbird answers 500 without a body.
public struct DatabaseFailure: HTTPResponseError {
  /// The status of the answer.
  public let status: HTTPResponse.Status
  /// The code for programs.
  public let code: String
  /// A sentence for a person.
  public let message: String
  /// The table, if it is known.
  public let table: String?
  /// The columns of the constraint that was violated, or of the value that cannot be stored.
  public let columns: [String]
  /// The number of seconds after which the client may try again.
  public let retryAfter: Int?
  /// The error of the database.
  public let cause: any Error

  /// Creates the answer to an error; nil if the error has no answer of its own.
  public init?(_ error: any Error) {
    switch error {
    case let error as DatabaseError:
      self.init(error)
    case let error as RecordNotFound:
      self.init(error, .notFound, "not_found", "there is no such row", table: error.table)
    case let error as WriteIgnored:
      self.init(error, .conflict, "conflict", "the row was not written", table: error.table)
    case is ChangeConflicts, is HistoryError:
      self.init(error, .conflict, "conflict", "the rows were changed by others")
    case let error as QueryError where error.concernsCursor:
      self.init(error, .badRequest, "page_cursor", "the cursor of the page is not valid")
    case LogError.expired, LogError.incomplete:
      self.init(error, .gone, "expired", "these changes are no longer known")
    case let error as ColumnValueError:
      guard case .unstorable = error.reason else { return nil }
      self.init(
        error, .unprocessableContent, "invalid", "a value cannot be stored", table: error.table,
        columns: [error.column].compactMap(\.self))
    case is DeadlineExceeded, is TooManyStreams, is SharedTransactionRolledBack:
      self.init(busy: error)
    case let error as RemoteSessionError:
      // `allowsRetry` is false if the node has stopped answering and the query may never end. Such
      // a query would also stop the next node, so the client must not send it again.
      guard error.outcome == .notRun, error.allowsRetry else { return nil }
      self.init(busy: error)
    default: return nil
    }
  }

  private init?(_ error: DatabaseError) {
    switch error.code.primary {
    case .constraint: self.init(error, error.constraint)
    case .busy, .locked, .interrupt, .abort: self.init(busy: error)
    case .readOnly:
      self.init(error, .serviceUnavailable, "read_only", "nothing can be written at present")
    case .full: self.init(error, .init(code: 507), "full", "there is no space left")
    case .tooBig: self.init(error, .contentTooLarge, "too_large", "a value is too large")
    default: return nil
    }
  }

  private init(_ error: DatabaseError, _ constraint: ConstraintFailure?) {
    let columns = constraint?.columns ?? []
    let named = columns.isEmpty ? "the values" : columns.joined(separator: " and ")
    let (status, code, message): (HTTPResponse.Status, String, String) =
      switch constraint?.kind {
      case .primaryKey, .unique: (.conflict, "unique", "another row has the same \(named)")
      case .foreignKey:
        (
          .conflict, "foreign_key",
          "a row that this one refers to is missing, or others refer to it"
        )
      case .notNull: (.unprocessableContent, "invalid", "\(named): a value is missing")
      case .check, .dataType: (.unprocessableContent, "invalid", "\(named): not allowed")
      case .other, nil: (.conflict, "conflict", "the change is not allowed")
      }
    self.init(error, status, code, message, table: constraint?.table, columns: columns)
  }

  init(busy error: any Error) {
    self.init(error, .serviceUnavailable, "busy", "the service is busy", retryAfter: 1)
  }

  init(
    _ cause: any Error, _ status: HTTPResponse.Status, _ code: String, _ message: String,
    table: String? = nil, columns: [String] = [], retryAfter: Int? = nil
  ) {
    self.cause = cause
    self.status = status
    self.code = code
    self.message = message
    self.table = table
    self.columns = columns
    self.retryAfter = retryAfter
  }

  /// The headers of the answer. If `retryAfter` is set, this is `Retry-After`; otherwise, there are
  /// none.
  public var headers: HTTPFields {
    retryAfter.map { [.retryAfter: "\($0)"] } ?? [:]
  }

  private struct Body: Encodable {
    struct Failure: Encodable {
      var code: String
      var message: String
      var table: String?
      var columns: [String]?
    }
    var error: Failure
  }

  /// Makes the response. Its body is encoded by the response encoder of the context.
  public func response(from request: Request, context: some RequestContext) throws -> Response {
    let body = Body(
      error: .init(
        code: code, message: message, table: table, columns: columns.isEmpty ? nil : columns))
    var response = try context.responseEncoder.encode(body, from: request, context: context)
    response.status = status
    response.headers.append(contentsOf: headers)
    return response
  }
}

/// A middleware that turns errors of the database into answers. The table of `DatabaseFailure`
/// lists the answers.
///
/// ```swift
/// router.add(middleware: DatabaseFailureMiddleware())
/// ```
///
/// If the status of an answer is 500 or above, the error is logged with its details. The client
/// does not get these details. Errors that are already HTTP errors are passed on unchanged.
public struct DatabaseFailureMiddleware<Context: RequestContext>: RouterMiddleware {
  /// Makes the middleware.
  public init() {}

  /// Answers a request.
  public func handle(
    _ request: Request, context: Context,
    next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let error where !(error is any HTTPResponseError) {
      let failure = DatabaseFailure(error)
      if failure.map({ $0.status.code >= 500 }) ?? true {
        context.logger.error("a request failed", metadata: ["error": "\(error)"])
      }
      throw failure ?? error
    }
  }
}
