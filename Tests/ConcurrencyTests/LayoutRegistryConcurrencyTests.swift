import Foundation
import QueryDSL
import SQLCore
import Testing

@Suite("Concurrency of layouts")
struct LayoutRegistryConcurrencyTests {
  /// Returns 15 × 14 models that no other test uses.
  static func models() -> [any Model.Type] {
    func values<Key: ColumnValue & Hashable>(_: Key.Type) -> [any Model.Type] {
      [
        Fresh<Key, Int>.self, Fresh<Key, Int8>.self, Fresh<Key, Int16>.self,
        Fresh<Key, Int32>.self, Fresh<Key, UInt8>.self, Fresh<Key, UInt16>.self,
        Fresh<Key, UInt32>.self, Fresh<Key, Double>.self, Fresh<Key, Float>.self,
        Fresh<Key, String>.self, Fresh<Key, Data>.self, Fresh<Key, Date>.self,
        Fresh<Key, UUID>.self, Fresh<Key, String?>.self,
      ]
    }
    return values(Int.self) + values(Int8.self) + values(Int16.self) + values(Int32.self)
      + values(Int64.self) + values(UInt8.self) + values(UInt16.self) + values(UInt32.self)
      + values(String.self) + values(Data.self) + values(Date.self) + values(UUID.self)
      + values(Unique64.self) + values(Bool.self) + values(URL.self)
  }

  struct Fresh<Key: ColumnValue & Hashable, Value: ColumnValue>: Model {
    @PrimaryKey var id: Key
    @Column var value: Value

    static var schema: Schema<Fresh> { Index(\.$value) }

    /// Returns the number of the layout, after a query that uses the model's columns.
    static func use() throws -> UInt16 {
      _ = try Self.where { $0.$id != $0.$id }.order(by: \.$value).sql
      return try layout.number
    }
  }

  static func use<M: Model>(_ model: M.Type) throws -> UInt16 {
    _ = try M.all.sql
    return try M.layout.number
  }

  @Test("210 models that 8 tasks use for the first time at once get one layout each")
  func firstUse() async throws {
    let models = Self.models()
    #expect(models.count == 210)
    let seen = try await withThrowingTaskGroup(of: [UInt16].self) { group in
      for task in 0..<8 {
        group.addTask {
          // Each task starts elsewhere, so that the tasks meet at different models.
          var numbers = [UInt16](repeating: 0, count: models.count)
          for offset in models.indices {
            let index = (offset + task * 3) % models.count
            numbers[index] = try Self.use(models[index])
          }
          return numbers
        }
      }
      return try await group.reduce(into: [[UInt16]]()) { $0.append($1) }
    }
    for numbers in seen { #expect(numbers == seen[0]) }
    #expect(Set(seen[0]).count == models.count)
    // Each number still belongs to its model.
    for (model, number) in zip(models, seen[0]) { #expect(try Self.use(model) == number) }
    #expect(try Fresh<Int, Int>.use() == seen[0][0])
  }
}
