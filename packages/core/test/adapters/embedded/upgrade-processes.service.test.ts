import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openStorage, verifyFile } from "../../../src/index.ts";
import { type OlderFormat, propertiesOf, rowKeyOf, writeOlderFile } from "./older-files.ts";

let folder = "";
let path = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "partita-"));
  path = join(folder, "older.db");
});
afterEach(() => rm(folder, { recursive: true }));

const program = join(import.meta.dirname, "upgrade-process.ts");

/** Opens the file in another process; how that ended, and what it wrote. */
async function openElsewhere(
  killedBefore: number = 0,
): Promise<{ readonly signal: string | null; readonly said: string }> {
  const child = spawn(
    process.execPath,
    ["--conditions=@partita/source", program, path, String(killedBefore)],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  let said = "";
  child.stdout.setEncoding("utf8");
  child.stdout.on("data", (chunk: string) => (said += chunk));
  const [, signal] = (await once(child, "close")) as [number | null, string | null];
  return { signal, said };
}

interface FoundFile {
  readonly version: number;
  readonly isUpgrading: boolean;
  /** Rows whose bodies are bytes. */
  readonly bytes: number;
}

function look(): FoundFile {
  const raw = new DatabaseSync(path);
  const one = (sql: string): number => Number(Object.values(raw.prepare(sql).get() ?? {})[0]);
  const found = {
    version: one("PRAGMA user_version"),
    isUpgrading: one("SELECT count(*) FROM sqlite_schema WHERE name = 'upgrade'") === 1,
    bytes: one("SELECT count(*) FROM rows1 WHERE typeof(body) = 'blob'"),
  };
  raw.close();
  return found;
}

async function expectWhole(): Promise<void> {
  {
    await using storage = await openStorage(`file:${path}`);
    const { entities } = await storage.query("Things", {});
    expect(entities).toHaveLength(12);
    for (const [n, row] of entities.entries())
      expect(row).toMatchObject({ RowKey: rowKeyOf(n), ...propertiesOf(n, 200_000) });
  }
  expect(look()).toEqual({ version: 7, isUpgrading: false, bytes: 12 });
  expect(await verifyFile(`file:${path}`)).toMatchObject({ isSound: true, findings: [] });
}

// Long form: before each statement.
const stride = process.env["PARTITA_LONG"] === "1" ? 1 : 6;

test.each<OlderFormat>([4, 2])(
  "kill -9 before each statement of an upgrade from format %d leaves a file that verify reads, and that is whole once it was opened",
  async (format) => {
    const original = join(folder, "original.db");
    writeOlderFile(original, format, { tables: ["Things"], count: 12, length: 200_000 });
    const seen: FoundFile[] = [];
    let said = "";
    for (let statement = 2; said === ""; statement += stride) {
      await copyFile(original, path);
      ({ said } = await openElsewhere(statement));
      const found = look();
      seen.push(found);
      const isSound = found.version === 7 ? (await verifyFile(`file:${path}`)).isSound : found.bytes === 0;
      expect(isSound).toBe(true);
      await expectWhole();
      for (const suffix of ["", "-wal", "-shm"]) await rm(path + suffix, { force: true });
    }

    // The last process had no more statements.
    expect(said).toBe("12\n");
    // Before it began, in its midst, and with nothing left but to say so.
    expect(seen.some(({ version }) => version === format)).toBe(true);
    expect(seen.some(({ isUpgrading, bytes }) => isUpgrading && bytes > 0 && bytes < 12)).toBe(true);
    expect(seen.some(({ bytes }) => bytes === 12)).toBe(true);
  },
);

test("several processes that open a file of format 4 at once all find its rows, and one that is killed holds nobody up", async () => {
  writeOlderFile(path, 4, { tables: ["Things"], count: 12, length: 200_000 });

  const ends = await Promise.all([openElsewhere(), openElsewhere(15), openElsewhere()]);

  expect(ends[0]).toEqual({ signal: null, said: "12\n" });
  expect(ends[2]).toEqual({ signal: null, said: "12\n" });
  await expectWhole();
});
