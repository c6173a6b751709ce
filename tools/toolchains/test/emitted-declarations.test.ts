import { mkdir, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { isLong } from "@partita/test-support/effort";
import { afterAll, describe, expect, test } from "vitest";
import { run } from "../src/run.ts";

// A library of parents and children in files that import each other: the compiler writes its declarations, and a program
// compiled against those declarations has the same types.

const root = join(import.meta.dirname, "../temp/emitted-declarations");
afterAll(() => rm(root, { recursive: true, force: true }));

const library = {
  "entry.ts": `
import { defineEntity, text } from "@partita/core";
export class Entry extends defineEntity({
  table: "Entries",
  partitionKey: { channel: text() },
  rowKey: { id: text() },
  properties: { title: text() },
  etagProperty: "etag",
  timestampProperty: "storedAt",
}) {}
`,
  "post.ts": `
import { defineKind } from "@partita/core";
import { Comment } from "./comment.js";
import { Entry } from "./entry.js";
export class Post extends defineKind(Entry, { kind: "Post", children: { comments: () => Comment } }) {
  get count() {
    return this.comments?.length ?? 0;
  }
}
`,
  "comment.ts": `
import { defineKind, text } from "@partita/core";
import { Entry } from "./entry.js";
import type { Post } from "./post.js";
export class Comment extends defineKind(Entry, {
  kind: "Comment",
  rowKey: { comment: text() },
  notStored: ["post"],
}) {
  declare post?: Post;
  get siblings() {
    return this.post?.comments;
  }
}
`,
  "made.ts": `
import { defineEntity, text, type TableContext } from "@partita/core";
import { Comment } from "./comment.js";
import { Post } from "./post.js";
export const Made = defineEntity({
  table: "Made",
  partitionKey: { channel: text() },
  rowKey: { id: text() },
  properties: {},
  etagProperty: "version",
  children: { comments: () => Comment },
});
export const first = async (context: TableContext) =>
  (await context.query(Post).include((p) => p.comments).first())?.comments;
export const assigned = ({ comments, etag, storedAt }: Post) => ({ comments, etag, storedAt });
`,
};

const program = `
import type { Children, KeyOf, NewOf, TableContext } from "@partita/core";
import { Comment } from "./library/comment.js";
import { assigned, first, Made } from "./library/made.js";
import { Post } from "./library/post.js";
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const is = <Claim extends true>(): void => undefined;
declare const context: TableContext;
const post = new Post({ channel: "c", id: "1", title: "t" });
const made = new Made();
is<Equal<typeof post.comments, Children<Comment> | undefined>>();
is<Equal<typeof post.etag, string | undefined>>();
is<Equal<typeof post.storedAt, Date | undefined>>();
is<Equal<typeof made.comments, Children<Comment> | undefined>>();
is<Equal<typeof made.version, string | undefined>>();
is<Equal<keyof NewOf<typeof Post>, "channel" | "id" | "title">>();
is<Equal<keyof KeyOf<typeof Post>, "channel" | "id">>();
is<Equal<Awaited<ReturnType<typeof first>>, Children<Comment> | undefined>>();
is<Equal<ReturnType<typeof assigned>["storedAt"], Date | undefined>>();
context.query(Post).include((p) => p.comments);
// @ts-expect-error ETag is no stored property
context.query(Post).where((p) => p.etag.eq("x"));
// @ts-expect-error the service gives the ETag
new Post({ channel: "c", id: "1", title: "t", etag: "x" });
`;

const compilerOptions = {
  target: "ES2022",
  lib: ["ES2023", "ESNext.Disposable"],
  types: ["node"],
  module: "NodeNext",
  strict: true,
  noImplicitOverride: true,
  skipLibCheck: true,
};

// The oldest and the newest in every run; those in between in the long form.
const versions = isLong ? ["5.4", "5.9", "6.0", "7.0"] : ["5.4", "7.0"];

describe.each(versions)("TypeScript %s", (version) => {
  test.each([true, false])(
    "writes declarations that keep every type, exactOptionalPropertyTypes: %s",
    async (exact) => {
      const folder = join(root, `${version}-${exact}`);
      const options = { ...compilerOptions, exactOptionalPropertyTypes: exact };
      await mkdir(join(folder, "src"), { recursive: true });
      await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
      for (const [name, source] of Object.entries(library))
        await writeFile(join(folder, "src", name), source);
      await writeFile(join(folder, "program.ts"), program);

      const emitted = { ...options, declaration: true, rootDir: "src", outDir: "library" };
      expect(await compile(version, folder, "library", emitted, ["src/made.ts"])).toBe("");
      expect(await compile(version, folder, "program", { ...options, noEmit: true }, ["program.ts"])).toBe(
        "",
      );
    },
  );
});

/** What a compiler prints for these files. */
async function compile(
  version: string,
  folder: string,
  name: string,
  options: object,
  files: readonly string[],
): Promise<string> {
  const config = join(folder, `${name}.json`);
  await writeFile(config, JSON.stringify({ compilerOptions: options, files }));
  const compiler = createRequire(import.meta.url).resolve(`typescript-${version}/package.json`);
  return (await run(process.execPath, [join(dirname(compiler), "bin/tsc"), "-p", config])).stdout;
}
