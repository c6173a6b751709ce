import { isNativeError } from "node:util/types";
import { Output } from "../terminal/output.ts";
import { openTarget } from "../storage/open-target.ts";
import { UsageError } from "../session/usage-error.ts";
import {
  type FilesArguments,
  type FilesTexts,
  readFilesArguments,
  type VerbName,
} from "./files-arguments.ts";
import { FilesCommandError, type FilesSession, type Verb } from "./session.ts";

/** Each is loaded when it is called. */
const verbs: Readonly<Record<VerbName, () => Promise<Verb>>> = {
  ls: async () => (await import("./ls.ts")).ls,
  put: async () => (await import("./put.ts")).put,
  get: async () => (await import("./get.ts")).get,
  cat: async () => (await import("./read.ts")).cat,
  tail: async () => (await import("./read.ts")).tail,
  rm: async () => (await import("./change.ts")).rm,
  stat: async () => (await import("./stat.ts")).stat,
  mv: async () => (await import("./change.ts")).mv,
  cp: async () => (await import("./change.ts")).cp,
};

/** `partita files`: works with stored files. Returns the exit code: 130 when it was stopped. */
export async function files(name: VerbName, args: readonly string[], options: FilesTexts): Promise<number> {
  const asked = readFilesArguments(name, args, options);
  const stop = new AbortController();
  const end = (): void => stop.abort();
  process.once("SIGINT", end);
  process.once("SIGTERM", end);
  const out = new Output();
  try {
    const code = await run(asked, out, stop.signal);
    await out.end();
    return code;
  } catch (error) {
    if (stop.signal.aborted) return stopped(asked);
    // Throws where results could not be written. Whoever does not read on, as `| head`, has all that was wanted.
    const hasNoReader = out.closed.aborted;
    await out.end();
    if (hasNoReader) return 0;
    throw withCode(error);
  } finally {
    process.off("SIGINT", end);
    process.off("SIGTERM", end);
  }
}

async function run(asked: FilesArguments, out: Output, stop: AbortSignal): Promise<number> {
  const verb = await verbs[asked.verb]();
  const { tableFiles } = await import("@partita/files");
  // The first file makes the file system.
  await using storage = await openTarget(asked.storage, { mayCreate: asked.verb === "put" });
  const session: FilesSession = {
    files: tableFiles(storage, { name: asked.name }),
    out,
    messages: process.stderr,
    input: process.stdin,
    signal: AbortSignal.any([stop, out.closed]),
  };
  return await verb(session, asked);
}

/** What is left where a verb was stopped. */
const left: Partial<Record<VerbName, string>> = {
  put: "What was being written is not seen: an older version stays as it was.",
  get: "What was being read is not there: only whole files are.",
  mv: "The file is still where it was.",
  cp: "What was being written is not seen: an older version stays as it was.",
};

function stopped({ verb }: FilesArguments): number {
  const { [verb]: what } = left;
  if (what !== undefined) console.error(`Stopped. ${what}`);
  return 130;
}

/** Errors of Partita with their codes in front, as those of Node have them. */
function withCode(error: unknown): unknown {
  if (UsageError.is(error) || FilesCommandError.is(error) || !isNativeError(error)) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (typeof code !== "string" || message.startsWith(`${code}:`)) return error;
  // Packages that are not installed are named by whoever reads the message.
  if (code === "ERR_MODULE_NOT_FOUND") return error;
  const said = `${code}: ${message}`;
  return code === "file.option"
    ? new UsageError(said, { cause: error })
    : new FilesCommandError(said, { cause: error });
}
