import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect } from "vitest";

const main = join(import.meta.dirname, "../dist/main.js");

/** Runs the quickstart, and returns its output without what differs: where the data is and how long it took. */
export async function responses(target: string, limit: number): Promise<string> {
  const child = spawn(process.execPath, [main, "--limit", String(limit), "--storage", target], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (output += chunk));
  const [code] = (await once(child, "close")) as [number];
  expect(code).toBe(0);
  return output.replaceAll(/^(Places in|Loading|Done in).*\n/gm, "");
}
