import { openStorage } from "@partita/core";
import { startTableServer } from "@partita/testing";
import { usageOf } from "../usage.ts";
import { readServeOptions, type ServeOptions } from "./serve-options.ts";

/** What to do when the system does not let it listen. */
const remedies: Readonly<Record<string, string>> = {
  EADDRINUSE: "The port is taken: name another with --port, or 0 for a free one.",
  EADDRNOTAVAIL: "The --host is not an address of this machine: 0.0.0.0 stands for all that it has.",
  ENOTFOUND: "The --host is not an address of this machine: 0.0.0.0 stands for all that it has.",
  EACCES: "The port is not for everybody to take: name one from 1024 on with --port.",
};

/** `partita serve`: serves until a signal stops it. Returns the exit code. */
export async function serve(args: readonly string[]): Promise<number> {
  try {
    await serveWith(await readServeOptions(args));
    return 0;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    console.error((code === undefined ? undefined : remedies[code]) ?? message);
    const isUnknown = code?.startsWith("ERR_PARSE_ARGS") === true;
    if (isUnknown) console.error(usageOf("serve"));
    // Options that are not legal are TypeErrors; what the system or the storage refuses is not.
    return isUnknown || (error instanceof TypeError && code === undefined) ? 2 : 1;
  }
}

/** Serves until a signal stops it. */
async function serveWith({ target, server: options, isKeyPublic }: ServeOptions): Promise<void> {
  await using storage = await openStorage(target);
  await using server = await startTableServer({ storage, ...options });
  const { connectionString, port, url } = server;
  console.log(`Serving ${storage.description} at ${url}`);
  const shown = isKeyPublic ? connectionString : connectionString.replace(options.key, "…");
  console.log(`Connection string: ${shown}`);
  console.log(`Ready host=${options.host} port=${port} url=${url}`);
  await new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
}
