// pnpm planted-bugs: plants one bug after another in the unit of work, runs the model-based tests against each, and says
// which were caught. Files are put back, also after Ctrl-C. Uncommitted changes in them stop the script before it begins.
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

const src = "packages/core/src/";
/** What each bug replaces, and with what. */
const bugs = [
  [
    "drop If-Match from merges",
    "unit-of-work/change-set.ts",
    `{ type: "merge", entity: body, etag: etagOf(entry) }`,
    `{ type: "merge", entity: body, etag: "*" }`,
  ],
  [
    "delete whatever version is stored",
    "unit-of-work/change-set.ts",
    `{ type: "delete", key, etag: etagOf(entry) }`,
    `{ type: "delete", key, etag: "*" }`,
  ],
  [
    "adopt the ETag on appendOnly",
    "unit-of-work/merge-row.ts",
    `entry.isStale = etag !== entry.etag;`,
    `entry.etag = etag;`,
  ],
  ["forget the image that was sent", "unit-of-work/accept.ts", `  entry.snapshot = after;\n`, ``],
  [
    "keep the old ETag after a save",
    "unit-of-work/accept.ts",
    `  entry.etag = etag;\n  if (operation.type`,
    `  if (operation.type`,
  ],
  [
    "preserveChanges drops edits",
    "unit-of-work/merge-row.ts",
    `const keepsEdits = option === "preserveChanges" &&`,
    `const keepsEdits = option !== "preserveChanges" &&`,
  ],
  [
    "a projected row makes an entity whole",
    "unit-of-work/merge-row.ts",
    `isWhole: old.isWhole && isSameVersion,`,
    `isWhole: true,`,
  ],
  [
    "a projected row of another version keeps an entity whole",
    "unit-of-work/merge-row.ts",
    `isWhole: old.isWhole && isSameVersion,`,
    `isWhole: old.isWhole,`,
  ],
  [
    "clearing merges instead of replacing",
    "unit-of-work/change-set.ts",
    `if (cleared.length > 0 || update === "replace" || snapshot.age === "older") {`,
    `if (update === "replace") {`,
  ],
  [
    "replace without undeclared properties",
    "codec/snapshot.ts",
    `  for (const name in undeclared) setMember(stored, name, undeclared[name]);\n`,
    ``,
  ],
  [
    "a conflict after a lost answer is an answer",
    "save/send-batch.ts",
    `      return doubt === undefined\n`,
    `      return failure.applied === "no"\n`,
  ],
  [
    "repeat unconditional writes",
    "save/send-batch.ts",
    `const isRepeatable = doubt === undefined || isFenced(changes);`,
    `const isRepeatable = true;`,
  ],
  [
    "a lost answer means success",
    "save/send-batch.ts",
    `if (failure.applied === "maybe") doubt = failure;`,
    `if (failure.applied === "maybe") return changes.map((change) => committed(change, undefined, attempt));`,
  ],
  [
    "a lost answer means failure",
    "save/send-batch.ts",
    `if (failure.applied === "maybe") doubt = failure;`,
    ``,
  ],
  [
    "one equal row proves a transaction",
    "recovery/judge-write.ts",
    `if (found.every((evidence) => evidence === "consistent")) return "applied";`,
    `if (found.includes("consistent")) return "applied";`,
  ],
  [
    "forget unknown outcomes",
    "unit-of-work/accept.ts",
    `if (uncertain !== undefined) entry.uncertain = [...entry.uncertain, uncertain];`,
    ``,
  ],
  [
    "send again what may be stored",
    "recovery/read-in-doubt-writes.ts",
    `return isConditional(change) && (isDecided || entry !== change.entry);`,
    `return true;`,
  ],
  [
    "a doubtful write is not kept out",
    "save/prepare-save.ts",
    `if (stored !== undefined) entry.forced = new Set([stored]);`,
    ``,
  ],
  [
    "adopt the ETag of a projected row",
    "unit-of-work/merge-row.ts",
    `if (loaded !== undefined && !isSameVersion && knowsMore(old, loaded)) {`,
    `if (false) {`,
  ],
  [
    "a removed entity's key is lost to its successor",
    "unit-of-work/change-tracker.ts",
    `if (tracked.replaced !== undefined) this.entities.add(tracked.replaced);`,
    ``,
  ],
  [
    "remove and add under one key inserts",
    "unit-of-work/change-tracker.ts",
    `const intent = { type: "add", ...(etag !== undefined && { replaces: etag }) } as const;`,
    `const intent = { type: "add" } as const;`,
  ],
  ["discard keeps the values", "unit-of-work/change-tracker.ts", `    restoreValues(tracked);\n`, ``],
  [
    "what was not loaded is never changed",
    "codec/compare-values.ts",
    `if (kept === notLoaded) return value === undefined;`,
    `if (kept === notLoaded) return true;`,
  ],
  [
    "two instances under one key",
    "unit-of-work/change-tracker.ts",
    `if (replaced.intent.type !== "remove") throw duplicateKey(model, key);`,
    ``,
  ],
];

const only = process.argv[2];
const files = [...new Set(bugs.map(([, file]) => src + file))];
if (execFileSync("git", ["status", "--porcelain", ...files]).length > 0) {
  console.error(`Commit or stash your changes first: bugs are planted in\n${files.join("\n")}`);
  process.exit(1);
}
const originals = new Map(files.map((file) => [file, readFileSync(file, "utf8")]));
const restore = () => {
  for (const [file, text] of originals) writeFileSync(file, text);
};
process.on("exit", restore);
process.on("SIGINT", () => process.exit(130));

let missed = 0;
for (const [name, path, find, replace] of bugs) {
  if (only !== undefined && !name.includes(only)) continue;
  const file = src + path;
  const text = originals.get(file);
  if (text.split(find).length !== 2) throw new Error(`"${name}" does not fit ${file} any more.`);
  writeFileSync(
    file,
    text.replace(find, () => replace),
  );
  const { status, stdout, stderr } = spawnSync(
    "vitest",
    ["run", "--project", "core", "--typecheck.enabled=false", "unit-of-work/model"],
    {
      encoding: "utf8",
      env: { PARTITA_MODEL_RUNS: "2000", PARTITA_MODEL_SEED: "2", ...process.env },
    },
  );
  writeFileSync(file, text);
  const after = /Property failed after (\d+) tests/.exec(stdout + stderr)?.[1];
  const isCaught = status !== 0 && after !== undefined;
  if (!isCaught) missed++;
  console.log(
    `${isCaught ? `caught after ${after.padStart(4)} histories` : "MISSED                     "}  ${name}`,
  );
}
console.log(missed === 0 ? "\nEvery planted bug was caught." : `\n${missed} planted bug(s) were missed.`);
process.exit(missed === 0 ? 0 : 1);
