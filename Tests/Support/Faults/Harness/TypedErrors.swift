import Apus

/// Whether an error is one of those that the library documents.
func isTyped(_ error: any Error) -> Bool {
  switch error {
  case is DatabaseError, is ColumnValueError, is RecordNotFound, is QueryError, is ModelError,
    is MigrationError, is DeadlineExceeded, is TooManyStreams, is SharedTransactionRolledBack:
    true
  default: false
  }
}
