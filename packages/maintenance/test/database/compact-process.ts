// A process of its own: compacts a file, and says "rewriting" when SQLite begins.
import { compactDatabase } from "../../src/index.ts";

const [path = ""] = process.argv.slice(2);

const { isComplete } = await compactDatabase(`file:${path}`, {
  busyTimeoutMs: 600_000,
  onProgress: ({ step }) => process.stdout.write(`${step}\n`),
});
process.stdout.write(`${isComplete}\n`);
