import { Readable, Writable } from "node:stream";
import { openStorage, type TableStorage } from "@partita/core";
import { type Files, tableFiles } from "@partita/files";
import type { Verb, VerbName } from "../../src/files/session.ts";
import { cp, mv, rm } from "../../src/files/change.ts";
import { get } from "../../src/files/get.ts";
import { ls } from "../../src/files/ls.ts";
import { put } from "../../src/files/put.ts";
import { cat, tail } from "../../src/files/read.ts";
import { stat } from "../../src/files/stat.ts";
import { Output } from "../../src/terminal/output.ts";
import { filesOptions } from "./files-options.ts";
import { progressBar } from "../../src/terminal/progress-bar.ts";

const verbs: Readonly<Record<VerbName, Verb>> = { ls, put, get, cat, tail, rm, stat, mv, cp };

/** What a verb printed and returned. */
interface VerbRun {
  readonly code: number;
  readonly out: string;
  readonly messages: string;
}

/** Files in memory, and verbs over them. */
export interface TestSession extends AsyncDisposable {
  readonly files: Files;
  readonly storage: TableStorage;
  run(...args: readonly string[]): Promise<VerbRun>;
  /** The same on a terminal, with something to read. */
  runWith(
    options: {
      readonly isTTY?: boolean;
      readonly input?: readonly Uint8Array[];
      readonly signal?: AbortSignal;
      /** Called when something was printed. */
      readonly onPrinted?: () => void;
    },
    ...args: readonly string[]
  ): Promise<VerbRun>;
}

export async function testSession(): Promise<TestSession> {
  const storage = await openStorage("memory:");
  const files = tableFiles(storage, { blockSize: 1000 });
  const session: TestSession = {
    files,
    storage,
    run: (...args) => session.runWith({}, ...args),
    async runWith({ isTTY = false, input = [], signal = new AbortController().signal, onPrinted }, ...args) {
      const { verb, operands, ...options } = filesOptions(["memory:", ...args]);
      const [chunks, messages]: [Buffer[], string[]] = [[], []];
      const stream = new Writable({
        write(chunk: Buffer, _encoding, done) {
          chunks.push(chunk);
          onPrinted?.();
          done();
        },
      });
      const out = new Output(Object.assign(stream, { isTTY }));
      const bar = progressBar({ isTTY, write: (text: string) => messages.push(text) });
      const say = (line: string): void => {
        bar.end();
        messages.push(`${line}\n`);
      };
      const session = {
        files,
        out,
        bar,
        say,
        isInteractive: false,
        input: () => Readable.from(input, { objectMode: false }),
        signal,
      };
      const code = await verbs[verb](session, operands, options).finally(() => bar.end());
      await out.end();
      return { code, out: Buffer.concat(chunks).toString("latin1"), messages: messages.join("") };
    },
    [Symbol.asyncDispose]: () => storage.close(),
  };
  return session;
}
