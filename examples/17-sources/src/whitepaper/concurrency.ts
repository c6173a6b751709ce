import { SaveError, TableContext } from "@partita/core";
import { type Chapter, codeOf, holds, type Place } from "../item.ts";
import { Blog, october, post, readAgain } from "./model.ts";

/** A blog that one context has read, and another program changed. */
async function changedBlog({ storage, context, name }: Place): Promise<Blog> {
  await post(storage, name, 1);
  const blog = await context.query(Blog).where({ channel: name }).single();
  await new TableContext(storage).modify(Blog, blog, (each) => void (each.author = "Bob"));
  return blog;
}

export const concurrency: Chapter = {
  title: "5 Concurrent updates",
  items: [
    holds("An update of an older version is refused", "conflict.etag", async (place) => {
      (await changedBlog(place)).text = "mine";
      return codeOf(() => place.context.saveChanges());
    }),
    holds("A delete of an older version is refused", "conflict.etag", async (place) => {
      place.context.remove(await changedBlog(place));
      return codeOf(() => place.context.saveChanges());
    }),
    holds("After a refusal, read again and repeat the change", ["mine", "Bob"], async (place) => {
      const blog = await changedBlog(place);
      blog.text = "mine";
      await codeOf(() => place.context.saveChanges());
      await place.context.resolveConflict(blog, "mine");
      await place.context.saveChanges();
      const stored = await readAgain(place.storage, place.name, 1);
      return [stored?.text, stored?.author];
    }),
    holds("Or keep the other program's values", ["Blog 1", "Bob"], async (place) => {
      const blog = await changedBlog(place);
      blog.text = "mine";
      await codeOf(() => place.context.saveChanges());
      await place.context.resolveConflict(blog, "theirs");
      return [blog.text, blog.author];
    }),
    holds("Concurrent increments lose none", 6, async ({ storage, name }) => {
      await post(storage, name, 1);
      const key = { channel: name, postedOn: october(1) };
      const increment = () =>
        new TableContext(storage).modify(Blog, key, (blog) => void blog.rating++, { attempts: 50 });
      await Promise.all([1, 2, 3, 4, 5].map(increment));
      return (await readAgain(storage, name, 1))?.rating;
    }),
    holds("The ETag of an entity changes with each write", true, async ({ storage, context, name }) => {
      await post(storage, name, 1);
      const blog = await context.query(Blog).where({ channel: name }).single();
      const first = context.entry(blog).etag;
      blog.rating = 9;
      await context.saveChanges();
      return first !== undefined && first !== context.entry(blog).etag;
    }),
    holds("5.1 An unconditional update, by ETag *", "mine", async ({ storage, context, name }) => {
      await post(storage, name, 1);
      const blog = context.attach(new Blog({ channel: name, postedOn: october(1), text: "" }), "*");
      blog.text = "mine";
      await context.saveChanges();
      return (await readAgain(storage, name, 1))?.text;
    }),
    holds("5.1 An unconditional delete", undefined, async (place) => {
      const { channel, postedOn } = await changedBlog(place);
      const other = new TableContext(place.storage);
      other.removeByKey(Blog, { channel, postedOn }, "*");
      await other.saveChanges();
      return readAgain(place.storage, place.name, 1);
    }),
    holds("Each result of a save says what happened", ["rejected", "committed"], async (place) => {
      (await changedBlog(place)).text = "mine";
      place.context.create(Blog, { channel: `${place.name}x`, postedOn: october(1), text: "other" });
      const error = await place.context.saveChanges().catch((thrown: unknown) => thrown);
      return error instanceof SaveError ? error.results.map(({ outcome }) => outcome) : [];
    }),
  ],
};
