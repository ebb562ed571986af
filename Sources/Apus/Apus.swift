@_exported import ChangeObservation
@_exported import QueryDSL
@_exported import SQLCore
@_exported import SchemaMigration
