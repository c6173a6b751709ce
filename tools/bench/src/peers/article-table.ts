/** The table of the relational contenders: one column for each property. */
export const createTable =
  "CREATE TABLE IF NOT EXISTS articles (shop TEXT NOT NULL, sku TEXT NOT NULL, name TEXT NOT NULL, description TEXT NOT NULL, maker TEXT NOT NULL, country TEXT, price REAL NOT NULL, weight REAL NOT NULL, stock INTEGER NOT NULL, sold INTEGER NOT NULL, views TEXT NOT NULL, active INTEGER NOT NULL, createdAt INTEGER NOT NULL, changedAt INTEGER NOT NULL, id TEXT NOT NULL, image BLOB NOT NULL, PRIMARY KEY (shop, sku))";

export const columns = [...createTable.matchAll(/(\w+) (?:TEXT|REAL|INTEGER|BLOB)/g)].map(([, name]) => name);

/** As durable as the embedded store: each commit is on the disk when it returns. */
export const pragmas = ["journal_mode = WAL", "synchronous = FULL"] as const;
