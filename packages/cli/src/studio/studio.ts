import { parseArgs } from "node:util";
import { checkFileIsThere } from "../storage-file.ts";
import { loadTarget } from "../tables/load-classes.ts";
import { UsageError } from "../usage-error.ts";
import { openBrowser } from "./open-browser.ts";

/** `partita studio`: serves the page until a signal stops it. Returns the exit code. */
export async function studio(args: readonly string[]): Promise<number> {
  const { values, positionals } = parse(args);
  if (positionals.length === 0 || positionals.length > 2)
    throw new UsageError(
      "partita studio takes a storage, and the compiled module of its classes before it, where there is one: partita studio dist/model.js file:data.db",
    );
  const port = portOf(values.port);
  // It is for this command alone, and may not be installed.
  const { startStudio } = await import("@partita/studio");
  const { storage, ...shown } = await openTarget(positionals);
  await using _open = storage;
  await using served = await startStudio({ storage, ...shown, port, readOnly: values["read-only"] });
  console.log(`${storage.description}${values["read-only"] ? ", read-only" : ""}`);
  console.log("Whoever has this address can read the storage, and change it unless it is read-only:");
  console.log(served.url);
  await using _opened = values.open ? await openBrowser(served.url) : undefined;
  await new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
  return 0;
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        "read-only": { type: "boolean", default: false },
        port: { type: "string", default: "0" },
        open: { type: "boolean", default: false },
      },
    });
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\nKnown: --read-only, --port n, --open.`, {
      cause: error,
    });
  }
}

/** @throws UsageError */
function portOf(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new UsageError("--port takes a number from 0 to 65535.");
  return Number(text);
}

/** A storage with the classes of a module and the core that declared them, or a storage alone. */
async function openTarget(positionals: readonly string[]) {
  const [first = "", second] = positionals;
  if (second === undefined) {
    checkFileIsThere(first);
    const { openStorage } = await import("@partita/core");
    return { storage: await openStorage(first) };
  }
  const { core, tables, storage } = await loadTarget("studio", positionals);
  return { storage, core, classes: tables.flatMap(({ classes }) => classes) };
}
