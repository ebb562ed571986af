/// Schemas as well-known programs and libraries create them, with rows.
enum KnownSchemas {
  static let all: [(name: String, script: String)] = [
    ("chinook", chinook), ("django", django), ("grdb", grdb), ("coredata", coreData), ("dbm", dbm),
    ("parts", parts), ("peculiar", peculiar),
  ]

  /// The tables of the Chinook sample database: a shop for music.
  private static let chinook = """
    CREATE TABLE [Artist] ([ArtistId] INTEGER NOT NULL, [Name] NVARCHAR(120),
      CONSTRAINT [PK_Artist] PRIMARY KEY ([ArtistId]));
    CREATE TABLE [Album] ([AlbumId] INTEGER NOT NULL, [Title] NVARCHAR(160) NOT NULL,
      [ArtistId] INTEGER NOT NULL, CONSTRAINT [PK_Album] PRIMARY KEY ([AlbumId]),
      FOREIGN KEY ([ArtistId]) REFERENCES [Artist] ([ArtistId]) ON DELETE NO ACTION ON UPDATE NO ACTION);
    CREATE TABLE [Employee] ([EmployeeId] INTEGER NOT NULL, [LastName] NVARCHAR(20) NOT NULL,
      [FirstName] NVARCHAR(20) NOT NULL, [Title] NVARCHAR(30), [ReportsTo] INTEGER,
      [BirthDate] DATETIME, [HireDate] DATETIME, [Address] NVARCHAR(70), [City] NVARCHAR(40),
      [State] NVARCHAR(40), [Country] NVARCHAR(40), [PostalCode] NVARCHAR(10), [Phone] NVARCHAR(24),
      [Fax] NVARCHAR(24), [Email] NVARCHAR(60), CONSTRAINT [PK_Employee] PRIMARY KEY ([EmployeeId]),
      FOREIGN KEY ([ReportsTo]) REFERENCES [Employee] ([EmployeeId]));
    CREATE TABLE [Customer] ([CustomerId] INTEGER NOT NULL, [FirstName] NVARCHAR(40) NOT NULL,
      [LastName] NVARCHAR(20) NOT NULL, [Company] NVARCHAR(80), [Email] NVARCHAR(60) NOT NULL,
      [SupportRepId] INTEGER, CONSTRAINT [PK_Customer] PRIMARY KEY ([CustomerId]),
      FOREIGN KEY ([SupportRepId]) REFERENCES [Employee] ([EmployeeId]));
    CREATE TABLE [Invoice] ([InvoiceId] INTEGER NOT NULL, [CustomerId] INTEGER NOT NULL,
      [InvoiceDate] DATETIME NOT NULL, [BillingAddress] NVARCHAR(70), [Total] NUMERIC(10,2) NOT NULL,
      CONSTRAINT [PK_Invoice] PRIMARY KEY ([InvoiceId]),
      FOREIGN KEY ([CustomerId]) REFERENCES [Customer] ([CustomerId]));
    CREATE TABLE [Genre] ([GenreId] INTEGER NOT NULL, [Name] NVARCHAR(120),
      CONSTRAINT [PK_Genre] PRIMARY KEY ([GenreId]));
    CREATE TABLE [MediaType] ([MediaTypeId] INTEGER NOT NULL, [Name] NVARCHAR(120),
      CONSTRAINT [PK_MediaType] PRIMARY KEY ([MediaTypeId]));
    CREATE TABLE [Track] ([TrackId] INTEGER NOT NULL, [Name] NVARCHAR(200) NOT NULL,
      [AlbumId] INTEGER, [MediaTypeId] INTEGER NOT NULL, [GenreId] INTEGER, [Composer] NVARCHAR(220),
      [Milliseconds] INTEGER NOT NULL, [Bytes] INTEGER, [UnitPrice] NUMERIC(10,2) NOT NULL,
      CONSTRAINT [PK_Track] PRIMARY KEY ([TrackId]),
      FOREIGN KEY ([AlbumId]) REFERENCES [Album] ([AlbumId]),
      FOREIGN KEY ([GenreId]) REFERENCES [Genre] ([GenreId]),
      FOREIGN KEY ([MediaTypeId]) REFERENCES [MediaType] ([MediaTypeId]));
    CREATE TABLE [InvoiceLine] ([InvoiceLineId] INTEGER NOT NULL, [InvoiceId] INTEGER NOT NULL,
      [TrackId] INTEGER NOT NULL, [UnitPrice] NUMERIC(10,2) NOT NULL, [Quantity] INTEGER NOT NULL,
      CONSTRAINT [PK_InvoiceLine] PRIMARY KEY ([InvoiceLineId]),
      FOREIGN KEY ([InvoiceId]) REFERENCES [Invoice] ([InvoiceId]),
      FOREIGN KEY ([TrackId]) REFERENCES [Track] ([TrackId]));
    CREATE TABLE [Playlist] ([PlaylistId] INTEGER NOT NULL, [Name] NVARCHAR(120),
      CONSTRAINT [PK_Playlist] PRIMARY KEY ([PlaylistId]));
    CREATE TABLE [PlaylistTrack] ([PlaylistId] INTEGER NOT NULL, [TrackId] INTEGER NOT NULL,
      CONSTRAINT [PK_PlaylistTrack] PRIMARY KEY ([PlaylistId], [TrackId]),
      FOREIGN KEY ([PlaylistId]) REFERENCES [Playlist] ([PlaylistId]),
      FOREIGN KEY ([TrackId]) REFERENCES [Track] ([TrackId]));
    CREATE INDEX [IFK_AlbumArtistId] ON [Album] ([ArtistId]);
    CREATE INDEX [IFK_TrackAlbumId] ON [Track] ([AlbumId]);
    INSERT INTO Artist VALUES (1, 'AC/DC'), (2, 'Accept');
    INSERT INTO Album VALUES (1, 'For Those About To Rock', 1), (2, 'Balls to the Wall', 2);
    INSERT INTO Employee (EmployeeId, LastName, FirstName, ReportsTo, BirthDate, HireDate) VALUES
      (1, 'Adams', 'Andrew', NULL, '1962-02-18 00:00:00', '2002-08-14 00:00:00'),
      (2, 'Edwards', 'Nancy', 1, '1958-12-08 00:00:00', '2002-05-01 00:00:00');
    INSERT INTO Customer VALUES (1, 'Luís', 'Gonçalves', NULL, 'luis@example.org', 2);
    INSERT INTO Invoice VALUES (1, 1, '2009-01-01 00:00:00', NULL, 1.98), (2, 1, '2009-01-02 00:00:00', 'x', 4);
    INSERT INTO Genre VALUES (1, 'Rock'); INSERT INTO MediaType VALUES (1, 'MPEG audio file');
    INSERT INTO Track VALUES (1, 'One', 1, 1, 1, NULL, 343719, 11170334, 0.99), (2, 'Two', 2, 1, NULL, 'U', 1, NULL, 1);
    INSERT INTO InvoiceLine VALUES (1, 1, 1, 0.99, 1), (2, 1, 2, 0.99, 1);
    INSERT INTO Playlist VALUES (1, 'Music'); INSERT INTO PlaylistTrack VALUES (1, 1), (1, 2);
    """

  /// As Django writes the tables of its users.
  private static let django = """
    CREATE TABLE "django_migrations" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT,
      "app" varchar(255) NOT NULL, "name" varchar(255) NOT NULL, "applied" datetime NOT NULL);
    CREATE TABLE "auth_group" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT,
      "name" varchar(150) NOT NULL UNIQUE);
    CREATE TABLE "auth_user" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT,
      "password" varchar(128) NOT NULL, "last_login" datetime NULL, "is_superuser" bool NOT NULL,
      "username" varchar(150) NOT NULL UNIQUE, "date_joined" datetime NOT NULL, "balance" decimal NOT NULL);
    CREATE TABLE "auth_user_groups" ("id" integer NOT NULL PRIMARY KEY AUTOINCREMENT,
      "user_id" integer NOT NULL REFERENCES "auth_user" ("id") DEFERRABLE INITIALLY DEFERRED,
      "group_id" integer NOT NULL REFERENCES "auth_group" ("id") DEFERRABLE INITIALLY DEFERRED);
    CREATE UNIQUE INDEX "auth_user_groups_user_id_group_id_94350c0c_uniq"
      ON "auth_user_groups" ("user_id", "group_id");
    CREATE TABLE "django_session" ("session_key" varchar(40) NOT NULL PRIMARY KEY,
      "session_data" text NOT NULL, "expire_date" datetime NOT NULL);
    CREATE INDEX "django_session_expire_date_a5c62663" ON "django_session" ("expire_date");
    CREATE TABLE "app_setting" ("id" char(32) NOT NULL PRIMARY KEY, "position" integer unsigned NOT NULL
      CHECK ("position" >= 0), "value" text NULL CHECK ((JSON_VALID("value") OR "value" IS NULL)));
    INSERT INTO django_migrations VALUES (1, 'auth', '0001', '2024-05-01 10:20:30.123456');
    INSERT INTO auth_group VALUES (1, 'editors');
    INSERT INTO auth_user VALUES (1, 'x', NULL, 1, 'jane', '2024-05-01 10:20:30', 1.25),
      (2, 'y', NULL, 0, 'joe', '2024-05-01 10:20:31.000001', 3);
    INSERT INTO auth_user_groups VALUES (1, 1, 1), (2, 2, 1);
    INSERT INTO app_setting VALUES ('0123456789abcdef0123456789abcdef', 1, '{"a": [1]}');
    """

  /// As programs with GRDB declare their tables.
  private static let grdb = """
    CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
    CREATE TABLE "player" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, "name" TEXT NOT NULL,
      "score" INTEGER NOT NULL DEFAULT 0, "createdAt" DATETIME NOT NULL, "isActive" BOOLEAN NOT NULL DEFAULT 1,
      "uuid" BLOB, "rating" DOUBLE, "photo" BLOB, "note" ANY);
    CREATE INDEX "player_on_score" ON "player"("score");
    CREATE TABLE "team" ("id" TEXT PRIMARY KEY NOT NULL, "captain" INTEGER
      REFERENCES "player"("id") ON DELETE SET NULL ON UPDATE CASCADE) WITHOUT ROWID;
    CREATE TRIGGER "keep" BEFORE DELETE ON "team" BEGIN SELECT RAISE(ABORT, 'kept'); END;
    INSERT INTO grdb_migrations VALUES ('v1');
    INSERT INTO player VALUES (1, 'Arthur', 100, '2024-05-01 10:20:30.123', 1,
      x'00112233445566778899AABBCCDDEEFF', 1.5, x'01', NULL), (2, 'Barbara', 7, '2024-05-01 10:20:30.000',
      0, NULL, 2, NULL, NULL);
    INSERT INTO team VALUES ('red', 1), ('blue', NULL);
    """

  /// As Core Data and SwiftData lay out their files.
  private static let coreData = """
    CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
    CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
    CREATE TABLE ZITEM (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZPARENT INTEGER,
      ZTIMESTAMP TIMESTAMP, ZPRICE FLOAT, ZTITLE VARCHAR, ZIDENTIFIER BLOB, ZAMOUNT DECIMAL);
    CREATE INDEX ZITEM_ZPARENT_INDEX ON ZITEM (ZPARENT);
    INSERT INTO Z_METADATA VALUES (1, 'A1B2C3D4-0000-4000-8000-000000000001', x'00');
    INSERT INTO Z_PRIMARYKEY VALUES (1, 'Item', 0, 2);
    INSERT INTO ZITEM VALUES (1, 1, 1, NULL, 736422000.5, 1.25, 'one', x'00112233445566778899AABBCCDDEEFF', 2),
      (2, 1, 1, 1, 736422001.25, NULL, 'two', NULL, 2.5);
    """

  /// As Python's `dbm.sqlite3`.
  private static let dbm = """
    CREATE TABLE IF NOT EXISTS Dict (key BLOB UNIQUE NOT NULL, value BLOB NOT NULL);
    INSERT INTO Dict VALUES (x'6B', x'76'), (x'', x'');
    """

  /// Keys of several columns, and tables of every kind.
  private static let parts = """
    CREATE TABLE "order" ("id" INTEGER NOT NULL, "line no" INTEGER NOT NULL, "what" TEXT,
      PRIMARY KEY ("id", "line no")) WITHOUT ROWID;
    CREATE TABLE delivery (order_id INTEGER, line INTEGER, "at" TEXT,
      FOREIGN KEY (order_id, line) REFERENCES "order" ("id", "line no") ON DELETE CASCADE);
    CREATE TABLE strict_one (id INTEGER PRIMARY KEY, a ANY, b INT, c REAL NOT NULL) STRICT;
    CREATE TABLE generated (a INTEGER, b INTEGER AS (a + 1), c TEXT GENERATED ALWAYS AS (a || 'x') STORED,
      d AS (a * 2));
    CREATE INDEX lowered ON generated (lower(c));
    CREATE INDEX partly ON generated (b) WHERE a IS NOT NULL AND c <> 'it''s where';
    CREATE UNIQUE INDEX folded ON generated (c COLLATE NOCASE DESC);
    CREATE VIEW total AS SELECT count(*) AS n, sum(b) AS "the sum" FROM generated;
    INSERT INTO "order" VALUES (1, 1, 'a'), (1, 2, NULL);
    INSERT INTO delivery VALUES (1, 1, '2024-05-01T10:20:30Z'), (NULL, NULL, NULL);
    INSERT INTO strict_one VALUES (1, 5, NULL, 1.5), (2, 6, 3, -0.5);
    INSERT INTO generated (a) VALUES (1), (2), (NULL);
    """

  /// Legal but unusual names and definitions.
  private static let peculiar = #"""
    CREATE TABLE "select ""from""" ("" TEXT, "a""b" INTEGER DEFAULT -1, "ü" TEXT DEFAULT 'it''s \\ "x"',
      "self" TEXT DEFAULT (lower('A')), "init" BLOB DEFAULT x'00', "Type" TEXT DEFAULT CURRENT_TIMESTAMP,
      "$d" TEXT, "id" TEXT, "customMirror" REAL DEFAULT 1e3);
    CREATE TABLE Int ("Int" INT PRIMARY KEY, "String" TEXT, description TEXT, hashValue INTEGER, schema TEXT);
    CREATE TABLE "line
    break" ("tab	ulator" INTEGER);
    CREATE TABLE descending (a INTEGER PRIMARY KEY DESC, b POINT, c CHARINT);
    CREATE TABLE loose (a TEXT PRIMARY KEY, b);
    CREATE TABLE affinities (a STRING, b MONEY, c "BIG BOOLEAN", d TINYINT(1), e NULL);
    INSERT INTO "select ""from""" ("a""b") VALUES (1), (2);
    INSERT INTO Int VALUES (1, 'x', 'y', 2, 'z');
    INSERT INTO "line
    break" VALUES (1);
    INSERT INTO descending VALUES (5, 1, 2);
    INSERT INTO loose VALUES (NULL, 1), ('a', 2);
    INSERT INTO affinities VALUES (NULL, 1.5, 1, 0, NULL), (NULL, 2, 0, 1, NULL);
    """#
}
