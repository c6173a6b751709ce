import { openStorage, type TableStorage } from "@partita/core";
import pg from "pg";
import { initPostgres } from "../src/index.ts";

let count = 0;

/** The server of this run. */
export const server = (): string => process.env["PARTITA_POSTGRES"] ?? "";

/** The target of an empty schema of its own. */
export async function freshSchema(): Promise<string> {
  const target = `${server()}?schema=t${process.pid}_${count++}`;
  await initPostgres(target);
  return target;
}

/** A storage over an empty schema of its own. */
export const freshStorage = async (): Promise<TableStorage> => openStorage(await freshSchema());

/** Runs SQL beside a storage. */
export async function sql(text: string, values: unknown[] = []): Promise<unknown[][]> {
  const client = new pg.Client({ connectionString: server() });
  await client.connect();
  try {
    return (await client.query<unknown[]>({ text, values, rowMode: "array" })).rows;
  } finally {
    await client.end();
  }
}
