import { expectTypeOf, test } from "vitest";
import {
  defineEntity,
  int32,
  json,
  type PropertyConflict,
  TableContext,
  type TableStorage,
  text,
} from "../../src/index.ts";
import type { Key } from "../../src/models.ts";

class Blog extends defineEntity({
  table: "Blogs",
  partitionKey: { channel: text() },
  rowKey: { id: text() },
  properties: { text: text(), rating: int32().default(0), tags: json<string[]>().optional() },
}) {
  like(): void {
    this.rating++;
  }
}

class Decorated {
  channel!: Key<string>;
  id!: Key<string>;
  text!: string;
}

class Silent {
  channel!: string;
  text!: string;
}

declare const storage: TableStorage;
const context = (): TableContext => new TableContext(storage);

test("select narrows to what was selected, and to the key parts a class names", () => {
  const run = async (): Promise<void> => {
    const [blog] = await context().query(Blog).where({ channel: "x" }).select("text", "rating").toArray();
    expectTypeOf(blog).toEqualTypeOf<Pick<Blog, "text" | "rating" | "channel" | "id"> | undefined>();
    const decorated = await context().query(Decorated).select("text").first();
    expectTypeOf(decorated).toEqualTypeOf<Pick<Decorated, "text" | "channel" | "id"> | undefined>();
    const silent = await context().query(Silent).select("text").first();
    expectTypeOf(silent).toEqualTypeOf<Pick<Silent, "text"> | undefined>();
    for await (const one of context().query(Blog).select("tags").take(3))
      expectTypeOf(one.tags).toEqualTypeOf<string[] | undefined>();
    const { entities } = await context().query(Blog).select("text").page({ size: 2 });
    expectTypeOf(entities).toEqualTypeOf<readonly Pick<Blog, "text" | "channel" | "id">[]>();
    // A listed row names the entity to edit.
    if (blog !== undefined)
      expectTypeOf(context().find(Blog, blog)).resolves.toEqualTypeOf<Blog | undefined>();
  };
  void run;

  const query = (): unknown => {
    // @ts-expect-error there is no such property
    context().query(Blog).select("nope");
    // @ts-expect-error a method is not stored
    return context().query(Blog).select("like");
  };
  void query;
});

test("update takes the entity's own properties", () => {
  const run = (blog: Blog): void => {
    context().update(blog, "text", "rating");
    // @ts-expect-error there is no such property
    context().update(blog, "nope");
  };
  void run;
});

test("resolve takes a side, or a function that gives one for each conflict", () => {
  const run = async (blog: Blog): Promise<void> => {
    await context().resolveConflict(blog, "mine");
    await context().resolveConflict(blog, (conflict) => {
      expectTypeOf(conflict).toEqualTypeOf<PropertyConflict>();
      return "theirs";
    });
    // @ts-expect-error there is no such side
    await context().resolveConflict(blog, "ours");
  };
  void run;
});

test("attach, removeByKey and upsert say what they need", () => {
  const run = (blog: Blog): void => {
    expectTypeOf(context().attach(blog, "*")).toEqualTypeOf<Blog>();
    // @ts-expect-error without an ETag
    context().attach(blog);
    context().removeByKey(Blog, { channel: "x", id: "1" }, "*");
    // @ts-expect-error a key part is missing
    context().removeByKey(Blog, { channel: "x" }, "*");
    // @ts-expect-error how it treats other properties must be said
    context().upsert(blog);
  };
  void run;
});

test("modify and updateAll hand over whole entities", () => {
  const run = async (): Promise<void> => {
    const blog = await context().modify(Blog, { channel: "x", id: "1" }, (one) => one.like());
    expectTypeOf(blog).toEqualTypeOf<Blog | undefined>();
    await context()
      .query(Blog)
      .select("text")
      .updateAll((one) => {
        expectTypeOf(one).toEqualTypeOf<Blog>();
      });
  };
  void run;
});
