import { expectTypeOf, test } from "vitest";
import {
  type Children,
  defineEntity,
  defineKind,
  type EntityClass,
  int32,
  type KeyOf,
  type NewOf,
  type TableContext,
  text,
} from "../../../src/index.ts";
import type { Columns, InstanceOf } from "../../../src/models.ts";

class Entry extends defineEntity({
  table: "Entries",
  partitionKey: { channel: text() },
  rowKey: { id: text() },
  properties: { title: text() },
  etagProperty: "etag",
  timestampProperty: "storedAt",
}) {}
class Post extends defineKind(Entry, {
  kind: "Post",
  properties: { rating: int32().default(0) },
  children: { comments: () => Comment },
}) {
  get best(): Comment | undefined {
    return this.comments?.find(({ likes }) => likes !== undefined && likes.length > 0);
  }

  get countedTwice() {
    return (this.comments?.length ?? 0) * 2;
  }
}
class Comment extends defineKind(Entry, {
  kind: "Comment",
  rowKey: { comment: text() },
  children: { likes: () => Like },
  notStored: ["post"],
}) {
  declare post?: Post;

  get total() {
    return this.post?.countedTwice;
  }
}
class Like extends defineKind(Entry, { kind: "Like", rowKey: { comment: text(), like: text() } }) {
  of(comment: Comment): boolean {
    return comment.likes?.includes(this) ?? false;
  }
}

class Declared extends defineEntity({
  table: "Entries",
  partitionKey: { channel: text() },
  rowKey: { id: text() },
  properties: {},
  kind: "Declared",
  etagProperty: "etag",
  timestampProperty: "storedAt",
  children: { comments: () => Comment, likes: () => Like },
}) {
  declare etag?: string;
  declare storedAt?: Date;
  declare readonly comments?: Children<Comment>;
  declare likes: Children<Like>;
}

declare const context: TableContext;

test("instances have ETag, Timestamp and children without a line of their own", () => {
  const post = new Post({ channel: "c", id: "1", title: "t" });
  expectTypeOf(post.etag).toEqualTypeOf<string | undefined>();
  expectTypeOf(post.storedAt).toEqualTypeOf<Date | undefined>();
  expectTypeOf(post.comments).toEqualTypeOf<Children<Comment> | undefined>();
  expectTypeOf(new Comment().likes).toEqualTypeOf<Children<Like> | undefined>();
  expectTypeOf(new Comment().etag).toEqualTypeOf<string | undefined>();
  expectTypeOf<Pick<Entry, "etag" | "storedAt">>().toEqualTypeOf<{
    etag?: string | undefined;
    storedAt?: Date | undefined;
  }>();
  expectTypeOf<Pick<Post, "comments">>().toEqualTypeOf<{ comments?: Children<Comment> | undefined }>();
  // @ts-expect-error a base has no children of its kinds
  void new Entry().comments;
  // @ts-expect-error a kind has no children of its siblings
  void new Post().likes;
  // @ts-expect-error a version is text
  post.etag = 1;
});

test("a class that names none has none", () => {
  class Plain extends defineEntity({
    table: "Plain",
    partitionKey: { p: text() },
    rowKey: {},
    properties: { n: int32() },
  }) {}
  expectTypeOf<keyof InstanceOf<(typeof Plain)["shape"]>>().toEqualTypeOf<"p" | "n">();
});

test("settings that are known only as text or as a record add nothing", () => {
  const name: string = "etag";
  const children: Record<string, () => EntityClass> = {};
  class Loose extends defineEntity({
    table: "Loose",
    partitionKey: { p: text() },
    rowKey: {},
    properties: {},
    etagProperty: name,
    children,
  }) {}
  expectTypeOf<keyof InstanceOf<(typeof Loose)["shape"]>>().toEqualTypeOf<"p">();
});

test("a class may say them itself", () => {
  const declared = new Declared({ channel: "c", id: "1" });
  expectTypeOf(declared.likes).toEqualTypeOf<Children<Like>>();
  expectTypeOf(declared.comments).toEqualTypeOf<Children<Comment> | undefined>();
  void class extends Post {
    // @ts-expect-error children of another class
    declare comments?: Children<Like>;
  };
});

test("new instances and keys neither need nor take them", () => {
  expectTypeOf<keyof NewOf<typeof Post>>().toEqualTypeOf<"channel" | "id" | "title" | "rating">();
  expectTypeOf<keyof KeyOf<typeof Post>>().toEqualTypeOf<"channel" | "id">();
  // @ts-expect-error the service gives the ETag
  new Post({ channel: "c", id: "1", title: "t", etag: "x" });
  // @ts-expect-error include() assigns children
  context.create(Post, { channel: "c", id: "1", title: "t", comments: [] });
  // @ts-expect-error a key has no ETag
  void context.find(Post, { channel: "c", id: "1", etag: "x" });
});

test("conditions and selections are on stored properties only", () => {
  const posts = context.query(Post);
  expectTypeOf<"comments" extends keyof Columns<Post> ? true : false>().toEqualTypeOf<false>();
  // @ts-expect-error ETag is no stored property
  posts.where((p) => p.etag.eq("x"));
  // @ts-expect-error Timestamp is no stored property
  posts.where({ storedAt: new Date() });
  // @ts-expect-error children are rows of their own
  posts.where((p) => p.comments.exists());
  // @ts-expect-error Timestamp comes with every row
  posts.select("storedAt");
  // @ts-expect-error children are rows of their own
  posts.select("comments");
});

test("include takes children by name, and its entities have them", () => {
  const posts = context.query(Post).include((p) => p.comments);
  expectTypeOf(posts.first()).resolves.toExtend<{ readonly comments: Children<Comment> } | undefined>();
  // @ts-expect-error likes are of comments
  context.query(Post).include((p) => p.likes);
  // @ts-expect-error an ETag is no child
  context.query(Post).include((p) => p.etag);
});

test("a class whose child is a kind of itself annotates the function", () => {
  class Base extends defineEntity({
    table: "Trees",
    partitionKey: { p: text() },
    rowKey: { a: text() },
    properties: {},
    children: { leaves: (): EntityClass => Leaf },
  }) {
    declare leaves?: Children<Leaf>;
  }
  class Leaf extends defineKind(Base, { kind: "Leaf", rowKey: { b: text() } }) {}
  class Branch extends defineKind(Base, { kind: "Branch" }) {}
  expectTypeOf(new Branch().leaves).toEqualTypeOf<Children<Leaf> | undefined>();
  expectTypeOf(
    context
      .query(Branch)
      .include((b) => b.leaves)
      .first(),
  ).resolves.toExtend<{ readonly leaves: Children<Leaf> } | undefined>();
});
