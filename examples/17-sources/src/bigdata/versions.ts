import { manualClock } from "@partita/testing";
import { type Chapter, codeOf, holds, inPart, notBuilt } from "../item.ts";
import { filesOf, newFile } from "./files.ts";

const hour = 3_600_000;

export const versions: Chapter = {
  title: "Files and versions",
  items: [
    holds("create assigns the next version number", [1, 2], async (place) => {
      const files = filesOf(place);
      return [(await files.create("/a")).version, (await files.create("/a")).version];
    }),
    holds("A new version has no blocks", 0, async (place) => (await newFile(place)).blockCount()),
    holds("create(document) stores metadata and content", ["Hello", "text/plain"], async (place) => {
      const file = await filesOf(place).write("/a", "Hello", { contentType: "text/plain" });
      return [await file.text(), file.info.contentType];
    }),
    holds("read finds the current version", "new", async (place) => {
      const files = filesOf(place);
      await files.write("/a", "old");
      await files.write("/a", "new");
      return (await files.open("/a"))?.text();
    }),
    holds("read finds nothing without a current version", undefined, (place) => filesOf(place).open("/a")),
    holds("update makes a new version and deletes the old one", ["1 deleted", "2 current"], async (place) => {
      const files = filesOf(place);
      await files.write("/a", "old");
      await files.write("/a", "new");
      return (await files.versions("/a")).map(({ version, state }) => `${version} ${state}`).toSorted();
    }),
    holds("Concurrent updates leave one current version", 1, async (place) => {
      const files = filesOf(place);
      await Promise.all([1, 2, 3].map((n) => files.write("/a", `text ${n}`)));
      return (await files.versions("/a")).filter(({ state }) => state === "current").length;
    }),
    holds("delete marks the version, and it can still be read", [true, undefined, "Hello"], async (place) => {
      const files = filesOf(place);
      await files.write("/a", "Hello");
      const isDeleted = await files.delete("/a");
      const old = await files.open("/a", { version: 1 });
      return [isDeleted, await files.open("/a"), await old?.text()];
    }),
    holds("delete of a missing file deletes nothing", false, (place) => filesOf(place).delete("/a")),
    inPart(
      "delete returns the number of deleted blocks",
      "delete only marks the file; reclaim deletes and counts its blocks",
      [true, 2],
      async (place) => {
        const clock = manualClock(Date.now());
        const files = filesOf(place, { clock, zones: { "/": { keepDeletedMs: 0 } } });
        const file = await files.create("/a");
        for (const text of ["1", "2"]) await file.append(text);
        const isDeleted = await files.delete("/a");
        clock.advance(hour);
        return [isDeleted, (await files.reclaim()).blocks];
      },
    ),
    holds("getAllVersionInfo has the times of creation and deletion", [true, true, false], async (place) => {
      const files = filesOf(place);
      await files.write("/a", "old");
      await files.write("/a", "new");
      const [first, second] = (await files.versions("/a")).toSorted((a, b) => a.version - b.version);
      return [
        first?.versionCreatedAt instanceof Date,
        first?.deletedAt instanceof Date,
        second?.deletedAt instanceof Date,
      ];
    }),
    holds("The file keeps its creation time, each version has its own", [true, true], async (place) => {
      const clock = manualClock(Date.now());
      const files = filesOf(place, { clock });
      const first = await files.write("/a", "old");
      clock.advance(hour);
      const second = await files.write("/a", "new");
      return [
        second.info.createdAt.getTime() === first.info.createdAt.getTime(),
        second.info.versionCreatedAt > first.info.versionCreatedAt,
      ];
    }),
    holds("readMetadata(id, timestamp) finds the version of a time", [1, 2], async (place) => {
      const clock = manualClock(Date.now());
      const files = filesOf(place, { clock });
      await files.write("/a", "old");
      clock.advance(hour);
      const between = new Date(clock.now());
      clock.advance(hour);
      await files.write("/a", "new");
      const now = new Date(clock.now() + hour);
      return [(await files.at("/a", between))?.version, (await files.at("/a", now))?.version];
    }),
    holds("inputStream(id, version, timestamp) reads replaced blocks", ["old", "new"], async (place) => {
      const clock = manualClock(Date.now());
      const files = filesOf(place, { clock, zones: { "/": { keepReplacedMs: 24 * hour } } });
      const file = await files.create("/a");
      await file.append("old");
      clock.advance(hour);
      const between = new Date(clock.now());
      clock.advance(hour);
      await file.writeBlock(0n, "new");
      return [(await (await files.at("/a", between))?.text()) ?? "", await file.text()];
    }),
    notBuilt(
      "Reads within a transaction of the whole store",
      "A table service has no transaction over partitions; the source discourages such reads",
    ),
    holds("A deleted version can't be written", "file.closed", async (place) => {
      const files = filesOf(place);
      const file = await files.create("/a");
      await file.append("old");
      await files.delete("/a");
      return codeOf(async () => (await files.open("/a", { version: 1 }))?.append("late"));
    }),
    holds("Version numbers are not reused after they are eradicated", [1, 2, 1], async (place) => {
      const clock = manualClock(Date.now());
      const files = filesOf(place, { clock, zones: { "/": { keepDeletedMs: 0 } } });
      await files.write("/a", "old");
      await files.delete("/a");
      clock.advance(hour);
      const { reclaimed } = await files.reclaim();
      const next = await files.write("/a", "new");
      return [
        reclaimed,
        next.version,
        (await files.versions("/a")).filter((each) => each.state === "current").length,
      ];
    }),
  ],
};
