// pnpm words: how often comments, messages, help texts and guides use the idioms that strangers stumble over. Fails where a
// figure is worse than in baseline.json. `--list <idiom>` shows where it stands, `--update` writes the figures as the new
// baseline if none is worse, or if there is no baseline.json.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { mostMarkdown, worseThan } from "./baseline.ts";
import { type Idiom, idioms } from "./idioms.ts";
import { measure, type Measured, per10000, placesOf } from "./measure.ts";
import { readTexts, countMarkdown } from "./texts.ts";

const workspace = join(import.meta.dirname, "../../..");
const file = join(import.meta.dirname, "../baseline.json");
const { values } = parseArgs({ options: { list: { type: "string" }, update: { type: "boolean" } } });
const texts = readTexts(workspace);

if (values.list === undefined) report();
else list(values.list);

function list(name: string): void {
  const idiom = idioms.find((each) => each.name === name);
  if (idiom === undefined) {
    console.error(`Name one of these: ${idioms.map((each) => each.name).join(", ")}.`);
    process.exit(2);
  }
  for (const passages of Object.values(texts)) console.log(placesOf(idiom, passages).join("\n"));
}

function report(): void {
  const now = measure(texts, countMarkdown(workspace));
  const baseline = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Measured) : now;
  printTable(now);
  const worse = worseThan(baseline, now);
  for (const { figure, now: found, before } of worse)
    console.log(`Worse than before: ${figure}, ${figureOf(found)} and not ${figureOf(before)}.`);
  if (worse.length > 0) {
    console.log("pnpm words --list <idiom> shows where each one stands.");
    process.exitCode = 1;
  } else if (values.update === true) {
    writeFileSync(file, `${JSON.stringify(now, undefined, 2)}\n`);
    console.log("Wrote baseline.json.");
  } else console.log("No figure is worse than in tools/words/baseline.json.");
}

function printTable({ groups, markdown }: Measured): void {
  const names = Object.keys(groups);
  const row = (cells: readonly string[]): void =>
    console.log(cells.map((cell, i) => (i === 0 ? cell.padEnd(12) : cell.padStart(10))).join(""));
  row(["per 10,000", ...names, "limit"]);
  for (const { name, limit } of idioms) {
    const counts = names.map((group) => groups[group]?.[name]);
    const shown = counts.map((count) => (count === undefined ? "" : figureOf(per10000(count))));
    row([name, ...shown, limitOf(limit)]);
  }
  row(["words", ...names.map((group) => String(groups[group]?.["somebody"]?.words ?? 0)), ""]);
  console.log(`Words of Markdown: ${markdown}, limit ${mostMarkdown}.`);
}

function limitOf(limit: Idiom["limit"]): string {
  if (limit === undefined) return "";
  return "atMost" in limit ? `≤ ${limit.atMost}` : `≥ ${limit.atLeast}`;
}

function figureOf(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(1);
}
