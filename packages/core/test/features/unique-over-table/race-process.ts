// One of two processes that want the same addresses. For each number in a message, it lets one user take an address, in a
// partition of its own, and answers with the result.
import { openStorage, type SaveError, TableContext } from "../../../src/index.ts";
import { User } from "./users.ts";

const [target = "", country = ""] = process.argv.slice(2);
const storage = await openStorage(target);

async function take(race: number): Promise<string> {
  const context = new TableContext(storage);
  const key = { country, id: String(race) };
  const email = `${race}@example.org`;
  if (race % 3 === 0) context.upsert(new User({ ...key, email }), "merge");
  else context.create(User, { ...key, email });
  return context.saveChanges().then(
    () => "saved",
    (error: unknown) => (error as SaveError).results[0]?.error?.message ?? String(error),
  );
}

process.on("message", (races: readonly number[]) => {
  void Promise.all(races.map(take)).then((results) => process.send?.(results));
});
process.on("disconnect", () => process.exit());
process.send?.("ready");
