// Classes of every make, and what a validator sees of them.
import { expect, test } from "vitest";
import {
  defineEntity,
  defineKind,
  type EntityValidator,
  json,
  TableContext,
  text,
} from "../../../src/index.ts";
import { get, Order, store } from "../upgraded-orders.ts";
import { accepting, contextWith, refusalOf, storageOf } from "./judged.ts";

const declaration = {
  table: "Users",
  partitionKey: { p: text() },
  rowKey: { r: text() },
  properties: { name: text().optional(), tags: json<string[]>().optional() },
} as const;
const key = { p: "p", r: "1" };

test("methods, getters, private fields and accessors work in a copy", async () => {
  class User extends defineEntity({ ...declaration, notStored: ["counted"] }) {
    #secret = "s";
    #name = "";
    declare counted?: number;
    get loud(): string {
      return `${this.name?.toUpperCase()}${this.#secret}${this.#name.length}`;
    }
    memoized(): number {
      return (this.counted ??= this.tags?.length ?? 0);
    }
    set nick(name: string) {
      this.#name = name;
    }
    get nick(): string {
      return this.#name;
    }
  }
  const seen: unknown[] = [];
  const context = contextWith(
    await storageOf(User),
    accepting((user: User) => seen.push(user.loud, user.memoized(), user.nick)),
  );
  const user = context.create(User, { ...key, name: "ann", tags: ["a"] });

  expect(await refusalOf(context)).toBeUndefined();
  expect(seen).toEqual(["ANNs0", 1, ""]);
  expect(user.counted).toBeUndefined();
});

test("a stored property that is an accessor is judged, and edited by its setter", async () => {
  const stored = Symbol("name");
  class User extends defineEntity(declaration) {
    declare [stored]?: string | undefined;
    static {
      Object.defineProperty(this.prototype, "name", {
        get(this: User) {
          return this[stored];
        },
        set(this: User, name: string) {
          this[stored] = name;
        },
      });
    }
  }
  const storage = await storageOf(User);
  const first = new TableContext(storage);
  Object.assign(first.create(User, key), { name: "ann" });
  await first.saveChanges();
  const trim: EntityValidator = (user) => {
    (user as User).name = (user as User).name?.trim();
    return [];
  };
  const judging = contextWith(storage, trim);
  ((await judging.find(User, key)) as User).name = " bob ";
  expect(await refusalOf(judging)).toMatchObject({
    code: "validator.changed-entity",
    details: { property: "name" },
  });

  const applying = contextWith(storage, Object.assign(trim, { applyTransforms: true }));
  const user = (await applying.find(User, key)) as User;
  user.name = " bob ";
  await applying.saveChanges();

  expect(user.name).toBe("bob");
  expect(await storage.get("Users", { partitionKey: "p", rowKey: "1" })).toMatchObject({ name: "bob" });
});

test("instance functions of a copy do not reach the entity", async () => {
  class User extends defineEntity({ ...declaration, undeclared: "ignore" }) {
    rename = (name: string): void => void (this.name = name);
  }
  const context = contextWith(
    await storageOf(User),
    accepting((user: User) => user.rename("taken over")),
  );
  const user = context.create(User, { ...key, name: "ann" });

  expect(await refusalOf(context)).toMatchObject({ code: "validator.changed-entity" });
  expect(user.name).toBe("ann");
});

test("a class whose constructor takes arguments, or freezes its instances, is judged", async () => {
  class User extends defineEntity(declaration) {
    constructor(name: string) {
      super({ ...key, name: name.trim() });
      Object.freeze(this);
    }
  }
  const names: unknown[] = [];
  const judge = accepting((user: User) => {
    names.push(user.name, user instanceof User);
    user.name = "edited";
  });
  const context = contextWith(await storageOf(User), Object.assign(judge, { applyTransforms: true }));
  const user = context.add(new User("ann"));

  expect(await refusalOf(context)).toMatchObject({ code: "entity.frozen" });
  expect(names).toEqual(["ann", true]);
  expect(user.name).toBe("ann");
});

test("a frozen entity is judged by a copy that is not frozen", async () => {
  class User extends defineEntity(declaration) {}
  const storage = await storageOf(User);
  const context = contextWith(
    storage,
    accepting((user: User) => user.tags?.push("b")),
  );
  context.add(Object.freeze(new User({ ...key, tags: Object.freeze(["a"]) as string[] })));

  expect(await refusalOf(context)).toMatchObject({ code: "validator.changed-entity" });
});

test("a proxied entity is judged by a plain copy", async () => {
  class User extends defineEntity(declaration) {}
  const written: PropertyKey[] = [];
  const context = contextWith(
    await storageOf(User),
    accepting((user: User) => {
      user.tags?.push("b");
      user.name = "x";
    }),
  );
  const record = (target: object): object =>
    new Proxy(target, {
      get: (of, name, receiver) => {
        const value: unknown = Reflect.get(of, name, receiver);
        return typeof value === "object" && value !== null ? record(value) : value;
      },
      set: (of, name, value) => {
        written.push(name);
        return Reflect.set(of, name, value);
      },
    });
  context.add(record(new User({ ...key, name: "ann", tags: ["a"] })));

  expect(await refusalOf(context)).toMatchObject({
    code: "validator.changed-entity",
    details: { properties: ["name", "tags"] },
  });
  expect(written).toEqual([]);
});

test("each kind is judged as its class, and by those of its base", async () => {
  class Base extends defineEntity(declaration) {}
  class Admin extends defineKind(Base, { kind: "Admin", properties: { level: text().optional() } }) {
    get isRoot(): boolean {
      return this.level === "root";
    }
  }
  const seen: unknown[] = [];
  const storage = await storageOf(Admin);
  const context = contextWith(
    storage,
    accepting((one: Base) => seen.push(one.constructor, one instanceof Admin && one.isRoot)),
  );
  context.create(Admin, { ...key, level: "root" });
  await context.saveChanges();
  const again = contextWith(
    storage,
    accepting((one: Base) => seen.push(one.constructor)),
  );
  const admin = (await again.query(Base).where(key).toArray())[0] as Admin;
  admin.level = "none";
  await again.saveChanges();

  expect(seen).toEqual([Admin, true, Admin]);
});

test("children are copies, too, and so is what points back to the parent", async () => {
  class Base extends defineEntity({
    table: "Posts",
    partitionKey: { p: text() },
    rowKey: { post: text() },
    properties: {},
    undeclared: "ignore",
  }) {}
  class Reply extends defineKind(Base, {
    kind: "Reply",
    rowKey: { n: text() },
    properties: { body: text() },
    notStored: ["parent"],
  }) {
    declare parent?: Post;
  }
  class Post extends defineKind(Base, {
    kind: "Post",
    properties: { title: text() },
    children: { replies: () => Reply },
  }) {}
  const copies: Post[] = [];
  const storage = await storageOf(Post, Reply);
  const judge = accepting((one: Post | Reply) => {
    if (!("replies" in one)) return;
    copies.push(one as Post);
    for (const reply of (one as Post).replies ?? []) reply.body = "edited";
  });
  const context = contextWith(storage, judge);
  const post = context.create(Post, { p: "p", post: "1", title: "t" });
  const reply = context.create(Reply, { p: "p", post: "1", n: "1", body: "b" });
  Object.assign(post, { replies: [reply] });
  reply.parent = post;

  await context.saveChanges();

  const [copy] = copies as [Post];
  expect(copy.replies?.[0]).toBeInstanceOf(Reply);
  expect(copy.replies?.[0]).not.toBe(reply);
  expect(copy.replies?.[0]?.parent).toBe(copy);
  expect(reply.body).toBe("b");
});

test("an upgraded row is judged and saved as what it is upgraded to", async () => {
  const storage = await store(Order, { A: 5, Note: "old" });
  const seen: unknown[] = [];
  const judge = accepting((order: Order) => {
    seen.push(order.B, order.Note);
    if (seen.length === 2) order.B = 6;
  });
  const context = contextWith(storage, Object.assign(judge, { applyTransforms: true }));
  const order = (await context.find(Order, { shop: "s", id: "0" })) as Order;
  order.Note = "new";
  await context.saveChanges();

  expect(seen).toEqual([5, "new", 6, "new"]);
  expect(await get(storage)).toMatchObject({ B: 6, Note: "new", SchemaVersion: 2 });
});
