import { manualClock } from "@partita/testing";
import { type Chapter, codeOf, holds, inPart, listOf, notBuilt } from "../item.ts";
import { filesOf } from "./files.ts";

const hour = 3_600_000;

export const zones: Chapter = {
  title: "Zones and the whole store",
  items: [
    holds("Files with a shared prefix have one policy of retention", ["/keep/a"], async (place) => {
      const clock = manualClock(Date.now());
      const policies = { "/keep": { keepDeletedMs: 24 * hour }, "/tmp": { keepDeletedMs: 0 } };
      const files = filesOf(place, { clock, zones: policies });
      for (const path of ["/keep/a", "/tmp/a"]) {
        await files.write(path, path);
        await files.delete(path);
      }
      clock.advance(hour);
      await files.reclaim();
      const paths = ["/keep/a", "/tmp/a"];
      const old = await Promise.all(
        paths.map((path) => files.open(path, { version: 1 }).catch(() => undefined)),
      );
      return paths.filter((_, i) => old[i] !== undefined);
    }),
    holds("A policy can be changed for stored files", 1, async (place) => {
      const clock = manualClock(Date.now());
      const before = filesOf(place, { clock, zones: { "/": { keepDeletedMs: 24 * hour } } });
      await before.write("/a", "text");
      await before.delete("/a");
      clock.advance(hour);
      const after = filesOf(place, { clock, zones: { "/": { keepDeletedMs: 0 } } });
      return (await before.reclaim()).reclaimed + (await after.reclaim()).reclaimed;
    }),
    notBuilt(
      "Zones with a policy of replication",
      "The storage account replicates; tables have no copies by prefix",
    ),
    notBuilt("Zones with a policy of indexing", "There is no full-text index of files"),
    notBuilt(
      "Access control by zone (an open point of the source)",
      "Tables grant access by table and key range",
    ),
    holds("Rename copies the content and deletes the old file", ["Hello", undefined], async (place) => {
      const files = filesOf(place);
      await files.write("/a", "Hello");
      await files.move("/a", "/b");
      return [await (await files.open("/b"))?.text(), await files.open("/a")];
    }),
    holds("Rename can move a file to another zone", "Hello", async (place) => {
      const files = filesOf(place, { zones: { "/": {}, "/tmp": { keepDeletedMs: 0 } } });
      await files.write("/a", "Hello");
      return (await files.move("/a", "/tmp/a")).text();
    }),
    holds("The renamed file leaves a deleted version", ["deleted"], async (place) => {
      const files = filesOf(place);
      await files.write("/a", "Hello");
      await files.move("/a", "/b");
      return (await files.versions("/a")).map(({ state }) => state);
    }),
    holds("destroy deletes both indexes", [], async (place) => {
      const files = filesOf(place);
      await files.write("/a", "Hello");
      await files.destroy({ confirm: `${place.name}Docs` });
      return (await place.storage.listTables()).filter((table) => table.startsWith(`${place.name}Docs`));
    }),
    holds("A read-only view refuses changes", ["Hello", "file.read-only"], async (place) => {
      await filesOf(place).write("/a", "Hello");
      const view = filesOf(place, { readOnly: true });
      return [(await (await view.open("/a"))?.text()) ?? "", await codeOf(() => view.delete("/a"))];
    }),
    holds("A read-committed view doesn't see an unfinished write", "old", async (place) => {
      const files = filesOf(place, { smallFileBytes: 0 });
      await files.write("/a", "old");
      const isStarted = Promise.withResolvers<void>();
      const isRead = Promise.withResolvers<void>();
      async function* content(): AsyncGenerator<string> {
        yield "new";
        isStarted.resolve();
        await isRead.promise;
      }
      const writing = files.write("/a", content());
      await isStarted.promise;
      const seen = await (await files.open("/a"))?.text();
      isRead.resolve();
      await writing;
      return seen;
    }),
    holds("File systems with different namespaces share a storage", ["one", "two"], async (place) => {
      const { name } = place;
      const [one, two] = [filesOf(place), filesOf({ ...place, name: `${name}x` })];
      await one.write("/a", "one");
      await two.write("/a", "two");
      return [await (await one.open("/a"))?.text(), await (await two.open("/a"))?.text()];
    }),
    inPart(
      "A file can span index partitions",
      "A version is one partition of the table; names can be divided into buckets",
      2,
      async (place) => {
        const files = filesOf(place, { buckets: 4 });
        for (const path of ["/a", "/b"]) await files.write(path, path);
        return (await listOf(files.list())).length;
      },
    ),
    notBuilt(
      "A map/reduce master places work near the data",
      "A table service doesn't tell where a partition is",
    ),
    notBuilt(
      "A repository over HTTP",
      "HTTP APIs belong to programs; a file is a web stream, which they can return",
    ),
    notBuilt(
      "A JSON API like those of App Engine and HBase (an open point)",
      "It was never built in the source either",
    ),
  ],
};
