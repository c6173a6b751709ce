// Detecting the changes of 10,000 tracked entities of 14 properties, with 1 % changed.
import { createTables, openStorage, TableContext } from "@partita/core";
import { Article, articleValues } from "./article.ts";
import { compare } from "./compare.ts";
import { openMikro } from "./peers/mikro.ts";
import { mikroSchema } from "./peers/mikro-schema.ts";

const total = 10_000;
const changedEvery = 100;

const storage = await openStorage("memory:");
await createTables(storage, [Article]);
await store();
const context = new TableContext(storage);
const articles = await context.query(Article).where({ shop: "shop-1" }).toArray();
for (let i = 0; i < total; i += changedEvery) (articles[i] as Article).stock += 1;

async function store(): Promise<void> {
  const writer = new TableContext(storage);
  for (let i = 0; i < total; i++) writer.add(new Article(articleValues(i)));
  await writer.saveChanges();
}

const orm = await openMikro(":memory:");
const seeding = orm.em.fork();
for (let i = 0; i < total; i++) seeding.create(mikroSchema, articleValues(i) as never);
await seeding.flush();
const em = orm.em.fork();
const found = await em.find(mikroSchema, {});
for (let i = 0; i < total; i += changedEvery) (found[i] as { stock: number }).stock += 1;

/** The cheapest way to find the same changes: the text of the values, taken when the entities were read. */
const rows = articles.map((a, i) =>
  Object.assign(new Article(), a, { stock: i % changedEvery === 0 ? a.stock - 1 : a.stock }),
);
function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

function countByHand(): number {
  let changed = 0;
  for (let i = 0; i < total; i++) {
    const [a, b] = [articles[i] as Article, rows[i] as Article];
    const isSame =
      a.name === b.name &&
      a.description === b.description &&
      a.maker === b.maker &&
      a.country === b.country &&
      a.price === b.price &&
      a.weight === b.weight &&
      a.stock === b.stock &&
      a.sold === b.sold &&
      a.views === b.views &&
      a.active === b.active &&
      a.createdAt.getTime() === b.createdAt.getTime() &&
      a.changedAt.getTime() === b.changedAt.getTime() &&
      a.id === b.id &&
      sameBytes(a.image, b.image);
    if (!isSame) changed++;
  }
  return changed;
}

await compare({
  title: "Find 1 % changed among 10,000 tracked, for each entity",
  clock: "thread",
  rounds: 11,
  units: total,
  baseline: {
    name: "by hand, field by field against kept instances",
    run: () => {
      if (countByHand() !== total / changedEvery)
        throw new Error("By hand, another number of changes was found.");
    },
  },
  ours: {
    name: "Partita: pendingChanges()",
    target: { peer: "MikroORM: computeChangeSets()", atLeast: 30 },
    run: () => {
      if (context.pendingChanges().length !== total / changedEvery)
        throw new Error("Partita found another number of changes.");
    },
  },
  peers: [
    {
      name: "MikroORM: computeChangeSets()",
      run: () => {
        const unitOfWork = em.getUnitOfWork();
        unitOfWork.computeChangeSets();
        if (unitOfWork.getChangeSets().length !== total / changedEvery)
          throw new Error(
            `MikroORM found ${unitOfWork.getChangeSets().length} changes, such as ${JSON.stringify(unitOfWork.getChangeSets()[1]?.payload, (_k, v: unknown) => (typeof v === "bigint" ? `${v}n` : v))}`,
          );
      },
    },
  ],
});
await orm.close();
