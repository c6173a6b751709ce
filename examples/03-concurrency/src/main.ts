import {
  createTables,
  defineEntity,
  int32,
  openStorage,
  type ConflictResolution,
  SaveError,
  TableContext,
  text,
} from "@partita/core";

class Talk extends defineEntity({
  table: "Talks",
  partitionKey: { day: text() },
  rowKey: { room: text() },
  properties: { title: text(), speaker: text(), seats: int32() },
}) {}

const key = { day: "2008-10-27", room: "403A" };

await using storage = await openStorage(process.argv[2] ?? "memory:");
await createTables(storage, [Talk]);

/** Reads the stored values in a context that tracks nothing. */
async function stored(): Promise<string> {
  const talk = await new TableContext(storage).find(Talk, key);
  return talk === undefined ? "nothing" : `"${talk.title}" by ${talk.speaker}, ${talk.seats} seats`;
}

/** Two people change one talk concurrently. The second save resolves the conflict by `resolution`. */
async function settle(name: string, resolution: ConflictResolution): Promise<void> {
  await using setup = new TableContext(storage);
  setup.upsert(new Talk({ ...key, title: "Tables", speaker: "Ada", seats: 100 }), "replace");
  await setup.saveChanges();

  await using ada = new TableContext(storage);
  await using grace = new TableContext(storage);
  const [hers, mine] = [await ada.find(Talk, key), await grace.find(Talk, key)];
  if (hers === undefined || mine === undefined) throw new Error("The talk is missing.");
  Object.assign(hers, { title: "Tables, at scale", seats: 250 });
  Object.assign(mine, { title: "Tables in depth", speaker: "Grace" });

  await ada.saveChanges();
  try {
    await grace.saveChanges();
  } catch (error) {
    if (!(error instanceof SaveError)) throw error;
    console.log(`\n${name}\n  refused:  ${error.results[0]?.serviceCode}`);
  }
  console.log(`  before:   ${await stored()}`);
  await grace.resolveConflict(mine, resolution);
  await grace.saveChanges();
  console.log(`  after:    ${await stored()}`);
}

await settle("Mine: my edits over what is stored", "mine");
await settle("Theirs: my edits dropped", "theirs");
await settle("Per property: their title, my speaker", ({ property, base, mine, theirs }) => {
  console.log(`  conflict: ${property} was ${String(base)}; mine ${String(mine)}, theirs ${String(theirs)}`);
  return property === "title" ? "theirs" : "mine";
});

// If a change can be repeated on newer values, modify() reads, changes and saves the entity, and retries on a
// conflict.
const book = (): Promise<unknown> =>
  new TableContext(storage).modify(Talk, key, (talk) => void talk.seats--, { attempts: 20 });
await Promise.all(Array.from({ length: 5 }, book));
console.log(`\nFive seats booked at once: ${await stored()}`);
