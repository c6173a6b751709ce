import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Azurite, startAzurite } from "@partita/test-support/azurite";

const main = join(import.meta.dirname, "../dist/main.js");

let azurite: Azurite;
beforeAll(async () => {
  azurite = await startAzurite();
});
afterAll(() => azurite.stop());

async function responses(target: string): Promise<string> {
  const child = spawn(process.execPath, [main, "--limit", "5000", "--storage", target], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (output += chunk));
  const [code] = (await once(child, "close")) as [number];
  expect(code).toBe(0);
  // What differs is where the data is and how long it took.
  return output.replaceAll(/^(Places in|Loading|Done in).*\n/gm, "");
}

test("prints the same answers on Azurite as on the embedded store", async () => {
  const [service, embedded] = [await responses(azurite.connectionString), await responses("memory:")];

  expect(service).toContain("Entities per kind: 5,000 cities, 250 countries");
  expect(service).toBe(embedded);
});
