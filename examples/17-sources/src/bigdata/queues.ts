import { type Chapter, codeOf, holds } from "../item.ts";
import { filesOf, newFile, textOf, textsOf } from "./files.ts";

export const queues: Chapter = {
  title: "Files as queues",
  items: [
    holds("readHead reads the first block and leaves it", ["a", 2], async (place) => {
      const file = await newFile(place);
      for (const text of ["a", "b"]) await file.append(text);
      return [textOf((await file.readHead())?.bytes), await file.blockCount()];
    }),
    holds("readHead of an empty file finds nothing", undefined, async (place) =>
      (await newFile(place)).readHead(),
    ),
    holds("The head can be an empty block", "", async (place) => {
      const file = await newFile(place);
      await file.append("");
      return textOf((await file.readHead())?.bytes);
    }),
    holds("deleteHead deletes the first block and returns its id", [0n, ["1:b"]], async (place) => {
      const file = await newFile(place);
      for (const text of ["a", "b"]) await file.append(text);
      return [(await file.deleteHead())?.id, await textsOf(file)];
    }),
    holds("deleteHead of an empty file deletes nothing", undefined, async (place) =>
      (await newFile(place)).deleteHead(),
    ),
    holds("Competing consumers get different blocks", ["a", "b", "c"], async (place) => {
      const files = filesOf(place);
      const queue = await files.create("/queue");
      for (const text of ["a", "b", "c"]) await queue.append(text);
      const take = async () => (await (await files.open("/queue"))?.deleteHead())?.bytes;
      return (await Promise.all([take(), take(), take()]))
        .map(textOf)
        .toSorted((a = "", b = "") => a.localeCompare(b));
    }),
    holds(
      "The master deletes the head that it has processed, and no other",
      "file.head-moved",
      async (place) => {
        const file = await newFile(place);
        for (const text of ["a", "b"]) await file.append(text);
        const head = await file.readHead();
        await file.deleteHead();
        return codeOf(() => file.deleteHead({ expecting: head?.id }));
      },
    ),
    holds("If a consumer dies, its block goes to another one", ["a", undefined, "a"], async (place) => {
      const file = await newFile(place);
      await file.append("a");
      const first = await file.leaseHead({ for: 60_000 });
      const meanwhile = await file.leaseHead({ for: 60_000 });
      await first?.release();
      const second = await file.leaseHead({ for: 60_000 });
      return [first, meanwhile, second].map((lease) => textOf(lease?.block.bytes));
    }),
    holds("A consumer that takes longer renews its lease", [true, 0], async (place) => {
      const file = await newFile(place);
      await file.append("a");
      const lease = await file.leaseHead({ for: 30_000 });
      const before = lease?.until.getTime() ?? 0;
      await lease?.renew({ for: 90_000 });
      const isLater = (lease?.until.getTime() ?? 0) > before;
      await lease?.done();
      return [isLater, await file.blockCount()];
    }),
    holds("Producers append while consumers delete the head", ["1:b", "2:c"], async (place) => {
      const file = await newFile(place);
      for (const text of ["a", "b"]) await file.append(text);
      await file.deleteHead();
      await file.append("c");
      return textsOf(file);
    }),
  ],
};
