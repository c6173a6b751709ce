import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

// What a row has beside the properties of its class is known in one place, so that a change of it is a change there.

const src = join(import.meta.dirname, "../../../src");
/** Storages give rows these members, the model names them, and `edm/` declares them. */
const mayKnow = /^(stores|values|lint|storage|model\/declaration)\/|^model\/codec\/(row|index)-layout\.ts$/;
const layout =
  /odata\.etag|\.Timestamp\b|\{ [^}]*\bTimestamp\b[^}]*\}(: StoredEntity| = row)|\["?(kindProperty|versionProperty)"?\]|\[(\w+\.)*(kind|version)[!?]?\.storedName\]/;

const files = readdirSync(src, { recursive: true, encoding: "utf8" })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => file.endsWith(".ts"));

test("row-layout.ts, and index-layout.ts for rows of indexes, alone know where a row has its ETag, Timestamp, kind and version", () => {
  expect(files.length).toBeGreaterThan(150);
  const others = files
    .filter((file) => !mayKnow.test(file))
    .filter((file) =>
      layout.test(readFileSync(join(src, file), "utf8").replaceAll(/^\s*(\*|\/\/|\/\*).*$/gm, "")),
    );
  expect(others).toEqual([]);
});

test("row-layout.ts is found by what this looks for", () => {
  expect(layout.test(readFileSync(join(src, "model/codec/row-layout.ts"), "utf8"))).toBe(true);
});
