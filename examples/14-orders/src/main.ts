import { ConflictError, createTables, openStorage, SaveError, TableContext, work } from "@partita/core";
import { Customer, Line, Order } from "./model.ts";

await using storage = await openStorage(process.argv[2] ?? "memory:");
await createTables(storage, [Customer, Order, Line]);
// A context with this scope reads and writes data of this tenant only.
const acme = { scope: { tenant: "acme" } } as const;

// Partita sets the tenant, ids, times, and the order's key in its lines.
await using context = new TableContext(storage, acme);
const ann = context.create(Customer, { name: "Ann", email: "ann@acme.example" });
const { id } = context.create(Order, {
  customer: ann.id,
  lines: [
    { no: 1, article: "Table", price: 129_90n },
    { no: 2, article: "Chair", count: 4, price: 39_95n },
  ],
});
const stored = await context.saveChanges();
console.log("Stored:", stored.map(({ operation, entity }) => `${operation} ${nameOf(entity)}`).join(", "));

// Two customers with one e-mail address: the second one is refused.
context.create(Customer, { name: "Another Ann", email: "ann@acme.example" });
try {
  await context.saveChanges();
} catch (error) {
  const refused = error instanceof SaveError ? error.results.find((result) => result.error)?.error : error;
  if (!(refused instanceof ConflictError) || refused.reason !== "unique") throw error;
  console.log(`Refused (${refused.code}): ${refused.unique?.properties.join(", ")} is taken.`);
}
context.clear({ discard: true });

// The body of a PATCH request: lines are matched by key, and a line that is not in the data is removed from
// the order.
const key = { id };
const order = await context.find(Order, key, { include: "lines" });
if (order === undefined) throw new Error("The order is not stored.");
const patch = {
  note: "Call first",
  lines: [
    { no: 2, count: 6, article: "Chair", price: "39.95" },
    { no: 3, article: "Lamp", price: "24.50" },
  ],
};
context.assign(order, patch, { only: ["note", "lines"] });
const changes = await context.saveChanges({ batch: "atomic" });
console.log(
  "One transaction:",
  changes.map(({ operation, entity }) => `${operation} ${nameOf(entity)}`).join(", "),
);

// At most three lines from any writers: each writer touches the order, and the one that is too late starts
// again.
let runs = 0;
const added = await Promise.all(
  ["Rug", "Vase"].map((article) =>
    work(
      storage,
      async (own) => {
        runs++;
        const found = await own.find(Order, key, { include: "lines" });
        if (found === undefined || found.lines.length >= 3) return `no room for the ${article.toLowerCase()}`;
        const no = Math.max(...found.lines.map((line) => line.no)) + 1;
        own.createIn(found, "lines", { no, article, price: 15_00n });
        own.touch(found);
        return `line ${no}`;
      },
      { context: acme },
    ),
  ),
);
console.log(
  `Two writers, ${runs} runs:`,
  added
    .map((each) => each.replace(/rug|vase/, "last one"))
    .toSorted()
    .join(", "),
);

// A page of orders, each with all of its lines, in one request.
await using reader = new TableContext(storage, acme);
const page = await reader
  .query(Order)
  .include((each) => each.lines)
  .page({ size: 20 });
for (const { lines, note } of page.entities) {
  const units = lines.reduce((sum, line) => sum + BigInt(line.count) * line.price, 0n);
  console.log(`${lines.length} lines, ${(Number(units) / 100).toFixed(2)} in all. ${note}.`);
}

// Removing an order also removes its lines, including those that this context has not read.
const [last] = await reader.query(Order).toArray();
if (last !== undefined) await reader.removeFamily(last);
console.log("Removed:", (await reader.saveChanges()).length, "rows");

function nameOf(entity: object): string {
  return entity instanceof Line ? `line ${entity.no}` : entity.constructor.name.toLowerCase();
}
