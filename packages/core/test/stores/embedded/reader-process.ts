// A process without rights, if root starts it: reads the keys of all rows, tries to write, and prints both.
import { openStorage, StorageError } from "../../../src/index.ts";
import { insert } from "./things.ts";

const [path = ""] = process.argv.slice(2);

// Loads all modules, which this user may not read later.
await (await openStorage("memory:")).close();
if (process.getuid?.() === 0) {
  const nobody = 65_534;
  process.setgid?.(nobody);
  process.setuid?.(nobody);
}
await using storage = await openStorage(`file:${path}`);
const { entities } = await storage.query("Things", {});
const refused = await storage.write("Things", insert({}, "z")).then(
  () => "accepted",
  (error: unknown) => (StorageError.is(error) ? error.code : String(error)),
);
console.log(JSON.stringify([...entities.map(({ RowKey }) => RowKey), refused]));
