import { createHash } from "node:crypto";
import type { TableStorage } from "@partita/core";
import { tablesOf } from "../data/copy.ts";
import { inSession, type Session } from "../session/session.ts";
import { writeComplete } from "../disk/write-complete.ts";
import { openTarget } from "../storage/open-target.ts";
import { counted, formatBytes } from "../terminal/amounts.ts";
import { markLine } from "./backup-lines.ts";

/** `partita backup`: writes all tables of a storage to one file. */
export function backup(
  [storage = "", file = ""]: readonly string[],
  { force = false }: { readonly force?: boolean },
): Promise<number> {
  return inSession(
    async (session) => {
      await using opened = await openTarget(storage);
      const done = { tables: 0, rows: 0, bytes: 0 };
      const chunks = backupOf(opened, done, session);
      if (file === "-") for await (const chunk of chunks) await session.out.write(chunk);
      else await writeComplete(file, chunks, { force, signal: session.signal });
      session.say(
        `Wrote ${counted(done.tables, "table")}, ${counted(done.rows, "row")}, ${formatBytes(done.bytes)}.`,
      );
      return 0;
    },
    () => "The backup was not written. Start it again.",
  );
}

/** Counts of the data written so far. */
interface Done {
  tables: number;
  rows: number;
  bytes: number;
}

async function* backupOf(storage: TableStorage, done: Done, session: Session): AsyncGenerator<string> {
  const { exportTable } = await import("@partita/transfer");
  const { bar, signal } = session;
  const hash = createHash("sha256");
  const hashed = (text: string): string => {
    hash.update(text);
    done.bytes += Buffer.byteLength(text);
    return text;
  };
  yield hashed(markLine({ partita: "backup", version: 1 }));
  for (const name of await tablesOf(storage, session)) {
    yield hashed(markLine({ partita: "table", name }));
    let rows = 0;
    const onProgress = (progress: { readonly rows: number }): void => {
      ({ rows } = progress);
      bar.say(`${name}  ${rows.toLocaleString("en")} rows`);
    };
    for await (const chunk of exportTable(storage, name, {
      format: "jsonl",
      transactionRows: "keep",
      onProgress,
      signal,
    }))
      yield hashed(chunk);
    yield hashed(markLine({ partita: "end of table", rows }));
    done.tables++;
    done.rows += rows;
  }
  const { tables, rows } = done;
  yield markLine({ partita: "end", tables, rows, sha256: hash.digest("hex") });
}
