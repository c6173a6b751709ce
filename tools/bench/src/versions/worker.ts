// Saves with the sources of the checkout in its argument, and responds with the cost.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { clockOf } from "../clocks.ts";
import type { Order } from "./measure-pair.ts";
import { type Core, worksOf } from "./works.ts";

const sampleMs = 40;
const warmMs = 1000;

const now = clockOf("thread");
const [folder = ""] = process.argv.slice(2);
const core = (await import(pathToFileURL(join(folder, "packages/core/src/index.ts")).href)) as Core;
const works = await worksOf(core);

process.on("disconnect", () => process.exit());
process.on("message", ({ work, count }: Order) => {
  const save = works.get(work);
  if (save === undefined) throw new Error(`There is no work "${work}".`);
  const response = count === undefined ? warmUp(save) : cost(save, count);
  void response.then((value) => process.send?.(value));
});

async function warmUp(save: () => Promise<void>): Promise<number> {
  const started = now();
  let saves = 0;
  for (; now() - started < warmMs * 1e6; saves++) await save();
  return Math.max(1, Math.round((saves * sampleMs) / warmMs));
}

async function cost(save: () => Promise<void>, count: number): Promise<number> {
  globalThis.gc?.({ type: "minor" });
  const started = now();
  for (let i = 0; i < count; i++) await save();
  return (now() - started) / count;
}
