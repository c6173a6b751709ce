import type { EntityClass, TableStorage } from "@partita/core";
import { openTarget } from "../storage/open-target.ts";
import { loadTarget } from "../modules/load-classes.ts";
import type { Core } from "../modules/load-core.ts";
import { untilStopped } from "../session/until-stopped.ts";
import { UsageError } from "../session/usage-error.ts";
import { openBrowser } from "./open-browser.ts";

/** Options as given. */
interface StudioOptions {
  readonly readOnly?: boolean;
  readonly port?: number;
  readonly open?: boolean;
}

/** `partita studio`: serves the page until a signal stops it. Returns the exit code. */
export async function studio(
  args: readonly string[],
  { readOnly = false, port = 0, open = false }: StudioOptions,
): Promise<number> {
  // The package is optional, and only this command uses it.
  const { startStudio } = await import("@partita/studio");
  const { storage, ...shown } = await openShown(args);
  await using _open = storage;
  await using served = await onFreePort(port, (free) =>
    startStudio({ storage, ...shown, port: free, readOnly }),
  );
  // A signal may come as soon as the address is printed.
  const stopped = untilStopped();
  console.log(`${storage.description}${readOnly ? ", read-only" : ""}`);
  console.log("Anyone with this address can read the storage, and change it unless it is read-only:");
  console.log(served.url);
  await using _opened = open ? await openBrowser(served.url) : undefined;
  await stopped;
  return 0;
}

/** Ports that are tried, counted from the requested one. */
const portsTried = 20;

/** Starts at a port, or at the next one that is free. */
async function onFreePort<Served>(port: number, start: (port: number) => Promise<Served>): Promise<Served> {
  for (let next = port; ; next++)
    try {
      const served = await start(next);
      if (next !== port) console.error(`The port ${port} is taken. Using ${next} instead.`);
      return served;
    } catch (error) {
      const isTaken = (error as NodeJS.ErrnoException).code === "EADDRINUSE";
      if (!isTaken || next + 1 === port + portsTried || next === 65_535) throw error;
    }
}

/** A storage. With a module, also its classes and the core that declared them. */
interface Shown {
  readonly storage: TableStorage;
  readonly core?: Core;
  readonly classes?: readonly EntityClass[];
}

async function openShown([first = "", second]: readonly string[]): Promise<Shown> {
  if (second === undefined && /\.[cm]?[jt]s$/.test(first) && !first.includes(":"))
    throw new UsageError("partita studio needs the storage after the module: model.js file:path.db.");
  if (second === undefined) return { storage: await openTarget(first) };
  const { core, tables, storage } = await loadTarget([first, second]);
  return { storage, core, classes: tables.flatMap(({ classes }) => classes) };
}
