// The cost of the two proofs: a save of 10,000 rows, and the complete cycle of inserting, reading, changing
// and saving.
import {
  createTables,
  defineEntity,
  int32,
  openStorage,
  TableContext,
  text,
  type TableStorage,
} from "@partita/core";
import { padded } from "@partita/core/keys";
import { compare } from "./compare.ts";

type Proof = "content" | "marker";

const classOf = (proof: Proof, table: string) =>
  defineEntity({
    table,
    partitionKey: { group: text() },
    rowKey: { id: padded(6) },
    properties: { title: text(), note: text(), count: int32(), likes: int32() },
    proof,
  });
class ByContent extends classOf("content", "ByContent") {}
class ByMarker extends classOf("marker", "ByMarker") {}
type Row = typeof ByContent;

const total = 10_000;

async function opened(): Promise<TableStorage> {
  const storage = await openStorage("memory:");
  await createTables(storage, [ByContent, ByMarker]);
  return storage;
}

async function insert(storage: TableStorage, RowClass: Row): Promise<void> {
  const writer = new TableContext(storage);
  for (let id = 0; id < total; id++)
    writer.add(
      new RowClass({ group: "g", id, title: `Title ${id}`, note: `Note ${id}`, count: id, likes: 0 }),
    );
  await writer.saveChanges();
}

const save = (RowClass: Row) => async (): Promise<void> => {
  await using storage = await opened();
  await insert(storage, RowClass);
};

const cycle = (RowClass: Row) => async (): Promise<void> => {
  await using storage = await opened();
  await insert(storage, RowClass);
  const context = new TableContext(storage);
  const rows = await context.query(RowClass).where({ group: "g" }).toArray();
  for (let i = 0; i < total; i += 10) (rows[i] as InstanceType<Row>).likes++;
  await context.saveChanges();
};

const single = (RowClass: Row) => async (): Promise<void> => {
  await using storage = await opened();
  for (let id = 0; id < 1_000; id++) {
    const context = new TableContext(storage);
    context.create(RowClass, { group: "g", id, title: "t", note: "n", count: id, likes: 0 });
    await context.saveChanges();
  }
};

const classes = { content: ByContent, marker: ByMarker as unknown as Row };
for (const [name, title, work] of [
  ["proof: save", "Save of 10,000 rows over memory", save],
  ["proof: cycle", "Insert 10,000, read them tracked, change 1,000, save", cycle],
  ["proof: single", "1,000 saves of one row", single],
] as const)
  await compare({
    name,
    title,
    rounds: 9,
    clock: "process",
    baseline: { name: 'proof: "content"', run: work(classes.content) },
    ours: { name: 'proof: "marker"', run: work(classes.marker) },
  });
