import { type Chapter, codeOf, holds, inPart, listOf, notBuilt } from "../item.ts";
import { filesOf } from "./files.ts";

export const metadata: Chapter = {
  title: "Metadata",
  items: [
    holds("Programs define their own properties", { author: "Ann", pages: 3 }, async (place) => {
      const files = filesOf(place);
      await files.create("/a", { metadata: { author: "Ann", pages: 3 } });
      return (await files.open("/a"))?.metadata;
    }),
    holds("null deletes a property, an absent one is kept", { pages: 4, title: "A" }, async (place) => {
      const files = filesOf(place);
      const file = await files.create("/a", { metadata: { author: "Ann", pages: 3, title: "A" } });
      await file.updateMetadata({ author: null, pages: 4 });
      return (await files.open("/a"))?.metadata;
    }),
    holds("updateMetadata leaves the complete metadata in the file", { a: 1, b: 2 }, async (place) => {
      const file = await filesOf(place).create("/a", { metadata: { a: 1 } });
      await file.updateMetadata({ b: 2 });
      return file.metadata;
    }),
    holds("updateMetadata doesn't change the version", [1, 1], async (place) => {
      const files = filesOf(place);
      const file = await files.create("/a");
      await file.updateMetadata({ version: 7 });
      return [file.version, (await files.open("/a"))?.version];
    }),
    holds("Concurrent updates of properties are atomic", { a: 1, b: 2, c: 3 }, async (place) => {
      const files = filesOf(place);
      await files.create("/a");
      const update = async (change: object) => (await files.open("/a"))?.updateMetadata({ ...change });
      await Promise.all([update({ a: 1 }), update({ b: 2 }), update({ c: 3 })]);
      return (await files.open("/a"))?.metadata;
    }),
    holds("Each property has its own time", ["a", "b"], async (place) => {
      const files = filesOf(place);
      const file = await files.create("/a", { metadata: { a: 1 } });
      await file.updateMetadata({ b: 2 });
      return Object.keys((await files.open("/a"))?.info.metadataTimes ?? {}).toSorted();
    }),
    holds("A range of properties is read by their names", ["exif.lens", "exif.model"], async (place) => {
      const metadata = { author: "Ann", "exif.model": "X1", title: "A", "exif.lens": 35 };
      const file = await filesOf(place).create("/a", { metadata });
      return file.properties({ from: "exif.", to: "exif/" }).map(({ name }) => name);
    }),
    holds("The content type is stored", "text/html", async (place) => {
      const files = filesOf(place);
      await files.create("/a", { contentType: "text/html" });
      return (await files.open("/a"))?.info.contentType;
    }),
    inPart(
      "The content encoding is stored",
      "It is metadata of the program; writers and readers take their encoding as an option",
      ["utf-16le", "Grüße"],
      async (place) => {
        const files = filesOf(place);
        const options = { metadata: { contentEncoding: "utf-16le" }, encoding: "utf-16le" };
        await files.write("/a", "Grüße", options);
        const file = await files.open("/a");
        const encoding = String(file?.metadata["contentEncoding"]);
        return [encoding, await file?.text(encoding)];
      },
    ),
    inPart(
      "Content without a type or encoding is refused",
      "Content is bytes here: both are optional",
      undefined,
      async (place) => (await filesOf(place).write("/a", "text")).info.contentType,
    ),
    holds("File identifiers are paths of any Unicode text", ["/Grüße/日本 😀"], async (place) => {
      const files = filesOf(place);
      await files.write("/Grüße/日本 😀", "text");
      return (await listOf(files.list())).map(({ path }) => path);
    }),
    holds("An identifier that is no path is refused", "file.path", (place) =>
      codeOf(() => filesOf(place).create("no/path")),
    ),
    holds("getDocumentHeaders lists a range of files", ["/b", "/b/c"], async (place) => {
      const files = filesOf(place);
      for (const path of ["/a", "/b", "/b/c", "/c"]) await files.write(path, path);
      return (await listOf(files.list({ from: "/b", to: "/c" }))).map(({ path }) => path);
    }),
    holds("A list leaves out deleted files", ["/b"], async (place) => {
      const files = filesOf(place);
      for (const path of ["/a", "/b"]) await files.write(path, path);
      await files.delete("/a");
      return (await listOf(files.list())).map(({ path }) => path);
    }),
    holds("deleteAll(from, to) deletes a range of files", [2, ["/c"]], async (place) => {
      const files = filesOf(place);
      for (const path of ["/a", "/b", "/c"]) await files.write(path, path);
      const count = await files.deleteAll("/a", "/c");
      return [count, (await listOf(files.list())).map(({ path }) => path)];
    }),
    holds("deleteAll marks the versions, so they can still be read", "/a", async (place) => {
      const files = filesOf(place);
      await files.write("/a", "/a");
      await files.deleteAll("/a", "/b");
      return (await files.open("/a", { version: 1 }))?.text();
    }),
    notBuilt(
      "search(query) finds files by their text",
      "The source never implemented it; use a search service",
    ),
  ],
};
