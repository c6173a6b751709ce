import { DatabaseSync } from "node:sqlite";
import { checksumOfText } from "../../../src/adapters/embedded/row-checksum.ts";
import { signatureOf } from "../../../src/adapters/embedded/row-signature.ts";

export type OlderFormat = 2 | 3 | 4;

/** The version of the first row; each next one is a microsecond later. */
export const firstVersion = 1_700_000_000_000_000;

export const rowKeyOf = (n: number): string => `r${String(n).padStart(5, "0")}`;

export interface OlderRows {
  readonly tables: readonly string[];
  /** Rows of each table. */
  readonly count: number;
  /** Characters of their text. */
  readonly length: number;
}

/** The properties of a row. */
export const propertiesOf = (n: number, length: number): { n: number; text: string } => ({
  n,
  text: `ü${"x".repeat(length)}`,
});

/** Writes a file as a program wrote it when the format was an older one. */
export function writeOlderFile(
  path: string,
  format: OlderFormat,
  { tables, count, length }: OlderRows,
): void {
  const raw = new DatabaseSync(path);
  const clock = { 2: "clock", 3: "versions", 4: undefined }[format];
  raw.exec(`
    PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;
    PRAGMA application_id = ${0x50617274}; PRAGMA user_version = ${format};
    BEGIN;
    CREATE TABLE tables (
      id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE COLLATE NOCASE
      ${format === 4 ? ", crc INTEGER NOT NULL DEFAULT 0" : ""}
    );`);
  const last = firstVersion + count;
  if (clock !== undefined)
    raw.exec(`CREATE TABLE ${clock} (id INTEGER PRIMARY KEY CHECK (id = 1), ts INTEGER NOT NULL);
      INSERT INTO ${clock} (id, ts) VALUES (1, ${last})`);
  else
    raw.exec(`CREATE TABLE state (id INTEGER PRIMARY KEY, ts INTEGER NOT NULL DEFAULT 0,
        rows INTEGER NOT NULL DEFAULT 0, sum INTEGER NOT NULL DEFAULT 0);
      INSERT INTO state (id, ts) VALUES (0, ${last})`);
  for (const [index, name] of tables.entries()) {
    raw.prepare("INSERT INTO tables (name) VALUES (?)").run(name);
    writeRows(raw, index + 1, format, { tables, count, length });
    if (format < 4) continue;
    raw.prepare("UPDATE tables SET crc = ? WHERE name = ?").run(checksumOfText(name, "", 0, ""), name);
    raw.exec(
      `INSERT INTO state (id, rows, sum) SELECT ${index + 1}, count(*), coalesce(sum(crc), 0) FROM rows${index + 1}`,
    );
  }
  raw.exec("COMMIT");
  raw.close();
}

function writeRows(raw: DatabaseSync, id: number, format: OlderFormat, { count, length }: OlderRows): void {
  const signatures = "s0 INTEGER NOT NULL DEFAULT 0, s1 INTEGER NOT NULL DEFAULT 0,";
  raw.exec(`CREATE TABLE rows${id} (
    id INTEGER PRIMARY KEY, pk TEXT NOT NULL, rk TEXT NOT NULL, ${format > 2 ? signatures : ""}
    ts INTEGER NOT NULL, body TEXT NOT NULL, crc INTEGER NOT NULL
    ${format === 4 ? ", ahead INTEGER NOT NULL DEFAULT 0" : ""}, UNIQUE (pk, rk))`);
  if (format > 2) raw.exec(`CREATE INDEX rows${id}_scan ON rows${id} (pk, rk, s0, s1)`);
  const columns = ["pk", "rk", "ts", "body", "crc"];
  if (format > 2) columns.push("s0", "s1");
  if (format === 4) columns.push("ahead");
  const insert = raw.prepare(
    `INSERT INTO rows${id} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
  );
  for (let n = 0; n < count; n++) {
    const properties = propertiesOf(n, length);
    const [rk, ts, body, ahead] = [rowKeyOf(n), firstVersion + n, JSON.stringify(properties), n % 3];
    const checksum = checksumOfText("p", rk, ts, body, format === 4 ? ahead : 0);
    const signature = format > 2 ? signatureOf(properties) : [];
    insert.run("p", rk, ts, body, checksum, ...signature, ...(format === 4 ? [ahead] : []));
  }
}
