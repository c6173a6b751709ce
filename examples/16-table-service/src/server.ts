import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** All servers need the same account and key. */
export const account = { name: "shop", key: randomBytes(32).toString("base64") };

const partita = fileURLToPath(new URL("main.js", import.meta.resolve("@partita/cli")));

/** A table server: a process that runs `partita serve`. */
export class Server implements AsyncDisposable {
  readonly name: string;
  readonly #database: string;
  #port = 0;
  #process: ChildProcess | undefined;

  constructor(name: string, database: string) {
    this.name = name;
    this.#database = database;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Starts the server on a free port, or on the same port again. */
  async start(): Promise<void> {
    const options = ["--port", String(this.#port), "--account", account.name, "--key", account.key];
    const child = spawn(
      process.execPath,
      [partita, "serve", "--storage", "env:DATABASE", "--no-queues", "--drain-ms", "1000", ...options],
      { env: { ...process.env, DATABASE: this.#database }, stdio: ["ignore", "pipe", "inherit"] },
    );
    this.#process = child;
    for await (const line of createInterface({ input: child.stdout })) {
      const port = /^Ready .* port=(\d+)/.exec(line)?.[1];
      if (port === undefined) continue;
      this.#port = Number(port);
      return;
    }
    throw new Error(`${this.name} ended before it was ready.`);
  }

  /** Returns the exit code; null after SIGKILL. */
  async stop(signal: "SIGTERM" | "SIGKILL"): Promise<number | null> {
    const child = this.#process;
    if (child === undefined) return null;
    if (child.exitCode === null && child.signalCode === null) {
      child.kill(signal);
      await once(child, "exit");
    }
    return child.exitCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop("SIGKILL");
  }
}
