import ApusHistory
import QueryDSL
import SchemaMigration

/// The models of three versions of a program.
enum Versions {
  enum First {
    struct Job: Model {
      @PrimaryKey var id: Int
      @Column var title: String
      static var schema: Schema<Job> { Logged() }
    }

    struct Part: Model {
      @PrimaryKey var id: Int
      @Column var job: Int
      @Column var note: String?
      static var schema: Schema<Part> {
        Logged()
        ForeignKey(\.$job, references: \Job.$id)
      }
    }
  }

  enum Second {
    struct Job: Model, Equatable {
      @PrimaryKey var id: Int
      @Column var title: String
      @Column var color: String?
      @Column var size = 1
      static var schema: Schema<Job> {
        Logged()
        Default(\.$size, 1)
      }
    }

    struct Part: Model, Equatable {
      @PrimaryKey var id: Int
      @Column var job: Int
      @Column var note: String?
      static var schema: Schema<Part> {
        Logged()
        ForeignKey(\.$job, references: \Job.$id)
      }
    }

    struct Tag: Model {
      @PrimaryKey var id: Int
      @Column var job: Int
      @Column var name: String
      static var schema: Schema<Tag> {
        Logged()
        ForeignKey(\.$job, references: \Job.$id)
      }
    }
  }

  enum Third {
    struct Job: Model {
      @PrimaryKey var id: Int
      @Column var label: String
      @Column var color: String?
      @Column var size = 1
      static var schema: Schema<Job> {
        Logged()
        Default(\.$size, 1)
        Renamed(\.$label, from: "title")
      }
    }

    struct Part: Model {
      @PrimaryKey var id: Int
      @Column var job: Int
      @Column var note: String?
      @Column var weight: Int?
      static var schema: Schema<Part> {
        Logged()
        ForeignKey(\.$job, references: \Job.$id)
      }
    }

    struct Tag: Model {
      @PrimaryKey var id: Int
      @Column var job: Int
      @Column var name: String
      static var schema: Schema<Tag> {
        Logged()
        ForeignKey(\.$job, references: \Job.$id)
      }
    }
  }

  static let models: [[any TableModel.Type]] = [
    [First.Job.self, First.Part.self],
    [Second.Job.self, Second.Part.self, Second.Tag.self],
    [Third.Job.self, Third.Part.self, Third.Tag.self],
  ]

  /// The columns of the tables in the last version.
  static let columns = [
    "Job": ["id", "label", "color", "size"], "Part": ["id", "job", "note", "weight"],
    "Tag": ["id", "job", "name"],
  ]

  /// The values that a row has of columns which the program that inserted it did not know.
  static let defaults = ["size": "integer 31"]
}
