import { ConflictError, createTables, openStorage, type Query, SaveError, TableContext } from "@partita/core";
import { race, registerRunners } from "./register.ts";
import { Runner } from "./runner.ts";

await using storage = await openStorage(process.argv[2] ?? "memory:");
await createTables(storage, [Runner]);

for (const distance of ["Full", "Half"]) await registerRunners(storage, distance, 20_000);
const all = new TableContext(storage).query(Runner);
console.log(`${await all.scan().count()} runners are registered.`);

/** Runs a query, and prints its plan, its requests, and the runners it found. */
async function ask(question: string, of: (runners: Query<Runner>) => Query<Runner>): Promise<Runner[]> {
  let [requests, rows] = [0, 0];
  await using context = new TableContext(storage, {
    hooks: {
      received: ({ entities = 0 }) => {
        requests += 1;
        rows += entities;
      },
    },
  });
  const query = of(context.query(Runner).where({ race, distance: "Full" }));
  const found = await query.toArray();
  const some = found.slice(0, 3).map(({ bib, name, age }) => `${bib} ${name} (${age})`);
  console.log(`\n${question}`);
  console.log(`  ${String(query.explain()).replaceAll(race, "…")}`);
  console.log(`  ${requests} request(s), ${rows} rows: ${some.join(", ")}${found.length > 3 ? ", …" : ""}`);
  return found;
}

await ask("Who has the bib number 1234?", (runners) => runners.where({ bib: 1234 }));
await ask("And 1000 to 1009?", (runners) => runners.where((r) => r.bib.between(1000, 1009)));

// The index rows are sorted by age, so the first ten are one short page.
await ask("The first ten who are 50 or older", (runners) =>
  runners
    .via("byAge")
    .where((r) => r.age.ge(50))
    .take(10),
);
// Without the index, all runners are read to find the first ten.
const found = await ask("The same without the index", (runners) => runners.where((r) => r.age.ge(50)));
const first = found.toSorted((a, b) => a.age - b.age || a.bib - b.bib).slice(0, 10);
console.log(`  sorted here: ${first.map(({ bib }) => bib).join(" ")}`);

await ask("Club 07, whole runners", (runners) => runners.via("byClub").where({ club: "Club 07" }).take(20));
// The index copies all properties that are needed here, and its parts are all fixed, so the query uses it
// automatically.
await ask("Club 07, bib numbers", (runners) =>
  runners.where({ club: "Club 07" }).select("club", "bib", "name", "age"),
);

await ask("Whose is 4711@full.example.org?", (runners) => runners.where({ email: "4711@full.example.org" }));

// A second registration with the same address is refused, also for another distance, which is another partition.
await using context = new TableContext(storage);
const late = { race, bib: 20_001, name: "Kim", gender: "F", age: 33 };
const half = context.create(Runner, { ...late, distance: "Half", email: "4711@full.example.org" });
try {
  await context.saveChanges();
} catch (error) {
  const refused = error instanceof SaveError ? error.results[0]?.error : error;
  if (!(refused instanceof ConflictError) || refused.reason !== "unique") throw error;
  console.log(`\nRefused (${refused.code}): ${refused.unique?.properties.join(", ")} is taken.`);
}
context.discard(half);
const kim = context.create(Runner, { ...late, distance: "Full", email: "kim@example.org" });
await context.saveChanges();

// Her index row changes in the same transaction.
kim.club = "Club 07";
await context.saveChanges();
const members = await ask("Club 07 from 20,000 on", (runners) =>
  runners.via("byClub").where((r) => [r.club.eq("Club 07"), r.bib.ge(20_000)]),
);
console.log(`\n${members.map(({ name, email }) => `${name}, ${email}`).join("; ")}`);
