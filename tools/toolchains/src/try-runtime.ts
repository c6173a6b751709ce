import { join } from "node:path";
import { startBreakingServer } from "./breaking-server.ts";
import { run } from "./run.ts";
import { idOf, type Runtime } from "./runtimes.ts";

/** What the programs did in one place: undefined where all is well, or else what was wrong. */
export interface Trial {
  readonly memory: string | undefined;
  readonly file: string | undefined;
  readonly service: string | undefined;
  readonly commonJs: string | undefined;
}

/** What round-trip.mjs prints when it has saved and read everything. */
export const expectedOutput = "n1 t, n2 long, n3 long";

/** Runs the programs of a project in one runtime, against a table service. */
export async function tryRuntime(
  runtime: Runtime,
  command: string,
  project: string,
  connectionString: string,
): Promise<Trial> {
  const program = async (file: string, expected: string, ...args: string[]): Promise<string | undefined> => {
    const { stdout, stderr } = await run(command, [...runtime.args, join(project, file), ...args], project);
    if (runtime.isTooOld) return sentenceOf(stdout);
    return stdout === expected ? undefined : firstLine(stdout || stderr);
  };
  const prefix = `on${idOf(runtime).replaceAll(/\W/g, "")}`;
  const roundTrip = (target: string): Promise<string | undefined> =>
    program("round-trip.mjs", expectedOutput, target, prefix);
  return {
    memory: await roundTrip("memory:"),
    file: await roundTrip(`file:${join(project, `${prefix}.db`)}`),
    service: (await roundTrip(connectionString)) ?? (runtime.isTooOld ? undefined : await sendsOnce(program)),
    commonJs: runtime.isTooOld ? undefined : await program("required.cjs", "1 function function"),
  };
}

/** A runtime that is too old says which version is needed. */
const sentenceOf = (output: string): string | undefined =>
  /^storage\.node-version: Partita needs Node \d+\.\d+ or later, but this program runs on Node \d+/.test(
    output,
  )
    ? undefined
    : firstLine(output);

/** Whether a write whose connection breaks is sent once, and reported as one that may have been made. */
async function sendsOnce(
  program: (file: string, expected: string, ...args: string[]) => Promise<string | undefined>,
): Promise<string | undefined> {
  await using server = await startBreakingServer();
  const wrong = await program(
    "send-once.mjs",
    "storage.connection-lost, applied: maybe",
    server.connectionString,
  );
  if (wrong !== undefined) return wrong;
  return server.writes.length === 1 ? undefined : `a write was sent ${server.writes.length} times`;
}

const firstLine = (text: string): string => (text.trim().split("\n")[0] ?? "").slice(0, 300);
