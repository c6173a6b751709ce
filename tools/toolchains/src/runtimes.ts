import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { npmInstall } from "./packed-project.ts";
import { runWell } from "./run.ts";

/** A runtime from the npm registry, for this machine's platform. */
export interface Runtime {
  readonly name: string;
  /** The version range for the registry. */
  readonly range: string;
  /** Whether programs get an error message instead of a storage. */
  readonly isTooOld: boolean;
  /** The package with the program, and its path in the package. */
  readonly package: string;
  readonly program: string;
  /** Required settings or knowledge, for the guide. */
  readonly settings: string;
  /** Arguments before the file to run. */
  readonly args: readonly string[];
}

const { platform, arch } = process;
const extension = platform === "win32" ? ".exe" : "";

const node = (range: string, settings: string, isTooOld = false): Runtime => ({
  name: "Node",
  range,
  isTooOld,
  settings,
  package: `node-${platform === "darwin" && arch === "arm64" ? "bin-" : ""}${platform === "win32" ? "win" : platform}-${arch}`,
  program: `bin/node${extension}`,
  args: [],
});

export const runtimes: readonly Runtime[] = [
  node("20", "use 22.19 or later", true),
  node("22.19.0", "none; Node warns that SQLite is experimental"),
  node("24", "none"),
  node("26", "none"),
  {
    name: "Deno",
    range: "2",
    isTooOld: false,
    settings: "`--allow-net`, `--allow-env`, for files `--allow-read`, `--allow-write`",
    package: `@deno/${platform}-${arch}${platform === "linux" ? "-glibc" : ""}`,
    program: `deno${extension}`,
    args: ["run", "--allow-all"],
  },
  {
    name: "Bun",
    range: "1",
    isTooOld: false,
    settings: "none; from 1.4 on, requests go through `node:http`",
    package: `@oven/bun-${platform === "win32" ? "windows" : platform}-${arch === "arm64" ? "aarch64" : arch}`,
    program: `bin/bun${extension}`,
    args: [],
  },
];

/** Name and range, as on the command line: `node@22.19.0`. */
export const idOf = ({ name, range }: Runtime): string => `${name.toLowerCase()}@${range}`;

/** Installs a runtime into a subfolder, without running scripts of its package. */
export async function installRuntime(
  runtime: Runtime,
  parent: string,
): Promise<{ readonly command: string; readonly version: string }> {
  const folder = join(parent, idOf(runtime));
  await mkdir(folder, { recursive: true });
  const spec = `${runtime.package}@${runtime.range}`;
  await npmInstall(folder, [spec]);
  const command = join(folder, "node_modules", runtime.package, runtime.program);
  await chmod(command, 0o755);
  const version = /\d+\.\d+\.\d+/.exec(await runWell(command, ["--version"]))?.[0] ?? "unknown";
  return { command, version };
}
