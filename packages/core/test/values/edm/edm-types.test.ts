import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { edmTypes } from "../../../src/values/edm/edm-types.ts";

// Types own their forms: adding one changes no other file. Everything else asks the type (`values/edm/edm-forms.ts`).

const packages = join(import.meta.dirname, "../../../..");
const files = ["core", "patterns", "queues", "transfer"].flatMap((name) =>
  (readdirSync(join(packages, name, "src"), { recursive: true }) as string[])
    .map((file) => `${name}/${file.replaceAll("\\", "/")}`)
    .filter((file) => file.endsWith(".ts") && !file.startsWith("core/values/edm/")),
);
const linesOf = (file: string, pattern: RegExp): string[] =>
  readFileSync(join(packages, file.replace("/", "/src/")), "utf8")
    .split("\n")
    .filter((line) => pattern.test(line) && !/^\s*(\*|\/\/|\/\*)/.test(line))
    .map((line) => line.trim());

/** A `case`, a comparison or a table by the name of a type, or a set of names. */
const asksForType = /case "Edm\.|[=!]==? "Edm\.|"Edm\.\w+": |\[\s*"Edm\.\w+",/;
/** A serializer or the forms of one type by name. */
const namesType =
  /\b(string|int32|int64|double|boolean|dateTime|ticks|guid|binary|binaryInPlace|json|enum|convert)(Serializer|Type)\b/;
/** Asking for a serializer by what it is called. */
const asksForName =
  /serializer\.name\s*[=!]==\s*"|\[serializer\.name\]|case "(Text|Int32|Int64|Double|Bool|DateTime|Guid)"/;

const allowed: Readonly<Record<string, string>> = {
  "core/stores/azure/wire/atom/parse-atom.ts": "Atom is a wire format",
  "core/stores/azure/wire/atom/print-atom.ts": "Atom is a wire format",
  "queues/tables/set-aside.ts": "a message's own columns have fixed types",
  "transfer/column-types.ts": "values without a type are guessed by the way they are written",
  "core/values/filter/filter-node.ts": "keys are compared with text",
  "core/stores/embedded/sqlite-dialect.ts":
    "SQL over stored bytes is a format, and a law holds it to the types",
};

test("nothing outside of edm/ asks which EDM type a value has", () => {
  const found = files.filter((file) => linesOf(file, asksForType).length > 0);

  expect(found.filter((file) => allowed[file] === undefined)).toEqual([]);
});

test("only the list of property types names serializers", () => {
  const found = files.filter((file) => linesOf(file, namesType).length > 0);

  expect(found).toEqual(["core/model/declaration/property-type.ts"]);
});

test("nothing asks what a serializer is called", () => {
  expect(files.flatMap((file) => linesOf(file, asksForName))).toEqual([]);
});

test.each(edmTypes)("the forms of $edm agree with each other", (type) => {
  const stored = type.parse(type.example);

  expect(stored).toBe(type.example);
  expect(type.compare(type.example, type.example)).toBe(0);
  expect(type.canonical(type.example)).toBe(type.canonical(type.parse(String(type.example)) as string));
  expect(type.isAnnotated(type.example)).toBe(type.annotation !== "never");
  expect(type.sizeOf(type.example)).toBeGreaterThan(0);
});
