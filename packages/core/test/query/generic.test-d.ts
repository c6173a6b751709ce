import { expectTypeOf, test } from "vitest";
import {
  type ContextOptions,
  createTables,
  type EntityClass,
  type OpenOptions,
  openStorage,
  type Query,
  type SaveOptions,
  type TableContext,
  type TableStorage,
} from "../../src/index.ts";
import { type CensusOptions, upgradeTable } from "@partita/maintenance";

interface Channelled {
  channel: string;
  rating?: number;
}

declare const context: TableContext;
declare const storage: TableStorage;

export async function inChannel<Entity extends Channelled>(
  entityClass: EntityClass<Entity>,
  channel: string,
): Promise<Entity[]> {
  const query = context.query(entityClass).where((b) => b.channel.eq(channel).and(b.rating.ge(3)));
  expectTypeOf(query).toEqualTypeOf<Query<Entity>>();
  return query.where((b) => [b.channel.startsWith("C"), b.rating.exists()]).toArray();
}

export function wrongly<Entity extends Channelled>(entityClass: EntityClass<Entity>): void {
  const query = context.query(entityClass);
  // @ts-expect-error a number is no text
  query.where((b) => b.channel.eq(3));
  // @ts-expect-error there is no such property
  query.where((b) => b.author.eq("x"));
  // @ts-expect-error === compares the column itself
  query.where((b) => b.channel === "x");
}

export class Repository<Entity extends { channel: string }> {
  constructor(readonly entityClass: EntityClass<Entity>) {}

  ofChannel(channel: string): Query<Entity> {
    return context.query(this.entityClass).where((row) => row.channel.eq(channel));
  }
}

test("a query in a function over entities compares what they all have", () => {
  class Post {
    channel!: string;
    rating?: number;
    author!: string;
  }
  expectTypeOf(inChannel(Post, "news")).resolves.toEqualTypeOf<Post[]>();
  expectTypeOf(new Repository(Post).ofChannel("news").toArray()).resolves.toEqualTypeOf<Post[]>();
  // @ts-expect-error an entity without a channel
  void inChannel(class Bare {}, "news");
});

test("options are passed on as they came, undefined included", () => {
  const passOn = async (signal: AbortSignal | undefined, save: SaveOptions | undefined): Promise<void> => {
    class Post {
      channel!: string;
    }
    const query = context.query(Post).where({ channel: "news" });
    await query.toArray({ signal });
    await query.first({ signal, retry: undefined });
    await query.page({ size: 3, after: undefined, signal });
    await query.removeAll({ signal, onProgress: undefined });
    await query.updateAll(() => undefined, { signal });
    await context.find(Post, { channel: "news" }, { signal });
    await context.modify(Post, { channel: "news" }, () => undefined, { signal, attempts: undefined });
    await context.saveChanges({ signal, batch: save?.batch, only: save?.only, retry: save?.retry });
    await createTables(storage, [Post], { signal, retry: undefined, clock: undefined });
    await upgradeTable(storage, [Post], { signal, rate: undefined });
    await openStorage("memory:", { tablePrefix: undefined, timeouts: { readMs: undefined } });
  };
  expectTypeOf(passOn).returns.resolves.toEqualTypeOf<void>();
  expectTypeOf<{ signal: AbortSignal | undefined }>().toExtend<CensusOptions>();
  expectTypeOf<{ hooks: undefined; validate: undefined; retry: undefined }>().toExtend<ContextOptions>();
  expectTypeOf<{ credential: undefined; clock: undefined }>().toExtend<OpenOptions>();
});
