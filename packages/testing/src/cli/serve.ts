#!/usr/bin/env node
import { parseArgs } from "node:util";
import { openStorage } from "@partita/core";
import { emulatorAccount } from "@partita/core/rest";
import { startTableServer } from "../server/table-server.ts";

const usage = `Usage:
  partita-serve [--storage file:tables.db] [--port 10002] [--account name] [--key base64]
      Serves the REST protocol of Azure Table Storage on 127.0.0.1 over a storage: a file, memory (the default), or another
      service. Without --account and --key it is the emulator's account, which every client knows as
      UseDevelopmentStorage=true; port 0 takes a free one.`;

process.exitCode = await run();

async function run(): Promise<number> {
  try {
    const { values } = parseArgs({
      options: {
        storage: { type: "string", default: "memory:" },
        port: { type: "string", default: String(new URL(emulatorAccount.endpoint).port) },
        account: { type: "string", default: emulatorAccount.accountName },
        key: { type: "string", default: emulatorAccount.accountKey },
        help: { type: "boolean", default: false },
      },
    });
    if (values.help) {
      console.log(usage);
      return 0;
    }
    return await serve(values);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE")
      console.error("The port is taken: name another with --port, or 0 for a free one.");
    else console.error(message);
    if (!code?.startsWith("ERR_PARSE_ARGS")) return 1;
    console.error(usage);
    return 2;
  }
}

interface ServeOptions {
  readonly storage: string;
  readonly port: string;
  readonly account: string;
  readonly key: string;
}

/** Serves until it is told to stop. */
async function serve({ storage: target, port, account, key }: ServeOptions): Promise<number> {
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    throw new TypeError("--port takes a number from 0 to 65535.");
  await using storage = await openStorage(target);
  await using server = await startTableServer({ storage, port: Number(port), account, key });
  console.log(`Serving ${storage.description} at ${server.url}`);
  console.log(`Connection string: ${server.connectionString}`);
  await new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
  return 0;
}
