import type { TableContext } from "@partita/core";
import {
  createTables,
  defineEntity,
  int32,
  SaveError,
  StorageError,
  type TableStorage,
  text,
} from "@partita/core";
import type { TableClient } from "@azure/data-tables";
import { RestError } from "@azure/data-tables";

/** What a client says of a write: proof of it, proof against it, or neither. */
export type Told = "committed" | "rejected" | "unknown";

/** What proves a write, for each of which there is a table. */
export type Proof = "content" | "marker";
export const proofs: readonly Proof[] = ["content", "marker"];

const rowClass = <const Of extends Proof>(proof: Of, table: string) =>
  defineEntity({
    table,
    partitionKey: { pk: text() },
    rowKey: { rk: text() },
    properties: { n: int32() },
    proof,
  });
class Row extends rowClass("content", "Rows") {}
class RowByMarker extends rowClass("marker", "RowsByMarker") {}

export const tables: Readonly<Record<Proof, string>> = {
  content: "Rows",
  marker: "RowsByMarker",
};
const classes = { content: Row, marker: RowByMarker } as unknown as Readonly<Record<Proof, typeof Row>>;

/** One way to write, for both clients. Rows `a` and `b` of the partition are stored with n = 0 before it. */
export interface Operation {
  readonly name: string;
  /** Whether a condition keeps it from being carried out twice, so that its outcome can be found out at once. */
  readonly isFenced: boolean;
  /** Whether its row is gone afterwards, whoever removed it. */
  readonly removes?: true;
  /** Prepares the change; the save is what fails. */
  readonly partita: (context: TableContext, pk: string) => Promise<() => Promise<unknown>>;
  readonly dataTables: (client: TableClient, pk: string) => Promise<() => Promise<unknown>>;
  /** Whether it was carried out, by what is stored. */
  readonly isApplied: (storage: TableStorage, pk: string) => Promise<boolean>;
}

const entity = (pk: string, rk: string): { partitionKey: string; rowKey: string; n: number } => ({
  partitionKey: pk,
  rowKey: rk,
  n: 1,
});
const etagOf = async (client: TableClient, pk: string): Promise<{ etag: string }> => ({
  etag: (await client.getEntity(pk, "a")).etag,
});

/** The ten writes, of which nine are of rows. */
export function operationsOn(proof: Proof): readonly Operation[] {
  const table = tables[proof];
  const Row = classes[proof];
  const nOf = async (storage: TableStorage, pk: string, rk: string): Promise<unknown> =>
    (await storage.get(table, { partitionKey: pk, rowKey: rk }))?.["n"];
  const hasOne = (rk: string) => async (storage: TableStorage, pk: string) =>
    (await nOf(storage, pk, rk)) === 1;
  const isGone = async (storage: TableStorage, pk: string): Promise<boolean> =>
    (await nOf(storage, pk, "a")) === undefined;
  const found = async (context: TableContext, pk: string): Promise<InstanceType<typeof Row>> =>
    (await context.find(Row, { pk, rk: "a" })) as InstanceType<typeof Row>;
  return [
    {
      name: "insert",
      isFenced: true,
      async partita(context, pk) {
        context.add(new Row({ pk, rk: "new", n: 1 }));
        return () => context.saveChanges();
      },
      dataTables: async (client, pk) => () => client.createEntity(entity(pk, "new")),
      isApplied: hasOne("new"),
    },
    {
      name: "insert or merge",
      isFenced: false,
      async partita(context, pk) {
        context.upsert(new Row({ pk, rk: "a", n: 1 }), "merge");
        return () => context.saveChanges();
      },
      dataTables: async (client, pk) => () => client.upsertEntity(entity(pk, "a"), "Merge"),
      isApplied: hasOne("a"),
    },
    {
      name: "insert or replace",
      isFenced: false,
      async partita(context, pk) {
        context.upsert(new Row({ pk, rk: "new", n: 1 }), "replace");
        return () => context.saveChanges();
      },
      dataTables: async (client, pk) => () => client.upsertEntity(entity(pk, "new"), "Replace"),
      isApplied: hasOne("new"),
    },
    {
      name: "merge under its ETag",
      isFenced: true,
      async partita(context, pk) {
        (await found(context, pk)).n = 1;
        return () => context.saveChanges();
      },
      async dataTables(client, pk) {
        const condition = await etagOf(client, pk);
        return () => client.updateEntity(entity(pk, "a"), "Merge", condition);
      },
      isApplied: hasOne("a"),
    },
    {
      name: "replace under its ETag",
      isFenced: true,
      async partita(context, pk) {
        (await found(context, pk)).n = 1;
        return () => context.saveChanges({ update: "replace" });
      },
      async dataTables(client, pk) {
        const condition = await etagOf(client, pk);
        return () => client.updateEntity(entity(pk, "a"), "Replace", condition);
      },
      isApplied: hasOne("a"),
    },
    {
      name: "merge of any version",
      isFenced: false,
      async partita(context, pk) {
        const row = context.attach(new Row({ pk, rk: "a", n: 0 }), "*");
        row.n = 1;
        return () => context.saveChanges();
      },
      dataTables: async (client, pk) => () => client.updateEntity(entity(pk, "a"), "Merge"),
      isApplied: hasOne("a"),
    },
    {
      name: "delete under its ETag",
      removes: true,
      isFenced: true,
      async partita(context, pk) {
        context.remove(await found(context, pk));
        return () => context.saveChanges();
      },
      async dataTables(client, pk) {
        const condition = await etagOf(client, pk);
        return () => client.deleteEntity(pk, "a", condition);
      },
      isApplied: isGone,
    },
    {
      name: "delete of any version",
      removes: true,
      isFenced: false,
      async partita(context, pk) {
        context.removeByKey(Row, { pk, rk: "a" }, "*");
        return () => context.saveChanges();
      },
      dataTables: async (client, pk) => () => client.deleteEntity(pk, "a"),
      isApplied: isGone,
    },
    {
      name: "transaction of insert, merge and delete",
      removes: true,
      isFenced: true,
      async partita(context, pk) {
        context.remove(await found(context, pk));
        const other = (await context.find(Row, { pk, rk: "b" })) as InstanceType<typeof Row>;
        other.n = 1;
        context.add(new Row({ pk, rk: "new", n: 1 }));
        return () => context.saveChanges({ batch: "atomic" });
      },
      async dataTables(client, pk) {
        const { etag } = await client.getEntity(pk, "b");
        return () =>
          client.submitTransaction([
            ["delete", entity(pk, "a")],
            ["update", entity(pk, "b"), "Merge", { etag }],
            ["create", entity(pk, "new")],
          ]);
      },
      isApplied: async (storage, pk) => (await isGone(storage, pk)) && (await hasOne("new")(storage, pk)),
    },
  ];
}

/** The tenth write, which is of no row. */
export const tableCreation = {
  name: "create table",
  classOf: (name: string) =>
    class extends defineEntity({
      table: name,
      partitionKey: { pk: text() },
      rowKey: { rk: text() },
      properties: {},
    }) {},
  create: (
    storage: TableStorage,
    name: string,
    options: Parameters<typeof createTables>[2],
  ): Promise<unknown> => createTables(storage, [tableCreation.classOf(name)], options),
};

/** What Partita says. */
export async function toldByPartita(save: () => Promise<unknown>): Promise<Told> {
  try {
    await save();
    return "committed";
  } catch (error) {
    if (error instanceof SaveError) {
      const outcomes = new Set(error.results.map(({ outcome }) => outcome));
      // Of a transaction, what rows prove may be known, and who removed one not.
      return outcomes.has("unknown") ? "unknown" : (error.results[0]?.outcome as Told);
    }
    if (error instanceof StorageError) return error.applied === "no" ? "rejected" : "unknown";
    throw error;
  }
}

/** What the official client says: a refusal of the service is one; other errors leave it open, to be generous. */
export async function toldByDataTables(save: () => Promise<unknown>): Promise<Told> {
  try {
    await save();
    return "committed";
  } catch (error) {
    const status = error instanceof RestError ? error.statusCode : undefined;
    return status !== undefined && status >= 400 && status < 500 && status !== 408 && status !== 429
      ? "rejected"
      : "unknown";
  }
}
