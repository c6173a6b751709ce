import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const sources = new URL("../src/", import.meta.url);

/** Every map by identity in core, and why nothing simpler does. What a call does must show in its signature. */
const reasons: Readonly<Record<string, string>> = {
  "values/edm/packed-bytes.ts": "a checksum belongs to memory that users hold as their own array",
  "values/errors/warn-once.ts": "a warning is given once for each subject, whatever that is",
  "model/declaration/model-registry.ts":
    "classes are the users', and each copy of the package has models of its own",
  "model/declaration/per-model.ts":
    "what layers make of a model; a model that is copied with a change is another one",
  "model/codec/fill-entity.ts":
    "an entity that was just made is the user's, and nothing in it says that its key was generated",
  "storage/shared-state.ts": "a storage may be anybody's object",
};

test("core has six maps by identity, each with a reason", () => {
  const files = readdirSync(sources, { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => file.endsWith(".ts"));
  const found = files.filter((file) =>
    /new Weak(Map|Set)\b/.test(readFileSync(new URL(file, sources), "utf8")),
  );

  expect(found.toSorted()).toEqual(Object.keys(reasons).toSorted());
});
