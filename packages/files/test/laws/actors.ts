import { SaveError, StorageError, type TableStorage } from "@partita/core";
import { compare, textLiteral } from "@partita/core/protocol";
import { forwardStorage } from "@partita/core/internal";
import type { ActorTools } from "@partita/testing";
import { type Block, FileError, tableFiles, type Files, type StoredFile } from "../../src/index.ts";
import { candidatesOf } from "../../src/reclaim/candidates.ts";
import { VersionReclaim } from "../../src/reclaim/reclaim-version.ts";
import { StoreOpener } from "../../src/store/open-store.ts";
import { type TrueVersion, Truth } from "./truth.ts";

const paths = ["/a", "/b", "/scratch/c"];
const policy = { keepDeletedMs: 0, keepWritingMs: 300_000 };
export const filesOptions = {
  name: "Docs",
  blockSize: 6,
  // Some of the files that are written are small, and some are not.
  smallFileBytes: 15,
  zones: { "/": { ...policy, keepReplacedMs: 1000 }, "/scratch": policy },
};

/** What clients were told of what they did, for the end of a run. */
export interface Claim {
  readonly content: string;
  /** Whether it is stored: certainly, perhaps once, or certainly not. */
  readonly isStored: "yes" | "maybe" | "no";
}

/** One run: what is really there, and what was said of it. */
export class Journal {
  readonly truth = new Truth();
  readonly claims: Claim[] = [];
  /** Contents of whole writes that failed for certain: no version that has them is ever current. */
  readonly failedWrites: string[] = [];
  readonly taken = new Set<string>();
  readonly metadata: { readonly version: TrueVersion; readonly member: string }[] = [];
  readonly #files = new Map<string, Files>();
  readonly #moves = new Map<string, { readonly from: string; readonly to: string }>();

  constructor() {
    this.truth.onDeleted = (actor, version) => this.#checkMove(actor, version);
  }

  /** What is there before anything can fail. */
  async begin(storage: TableStorage): Promise<void> {
    const seen = forwardStorage(storage, {
      write: async (table, operation, options) => {
        const result = await storage.write(table, operation, options);
        this.truth.apply({ actor: "setup", table, operations: [operation] });
        return result;
      },
      transact: async (table, operations, options) => {
        const results = await storage.transact(table, operations, options);
        this.truth.apply({ actor: "setup", table, operations });
        return results;
      },
    });
    const clock = { now: () => Date.UTC(2025, 11, 31), wait: () => Promise.resolve() };
    const files = tableFiles(seen, { ...filesOptions, clock });
    await files.write("/a", "first:second");
    await files.create("/b");
  }

  /** One step of a client: one thing of all that can be done with files. */
  async step(tools: ActorTools): Promise<void> {
    const { clock, random, name, step } = tools;
    const files = this.#filesOf(tools);
    const path = random.oneOf(paths);
    const content = `${name} ${step}`;
    const file = (): Promise<StoredFile | undefined> => files.open(path);
    switch (random.below(19)) {
      case 0:
        return void (await outcomeOf(files.create(path)));
      case 1:
      case 2:
        return this.#write(files, path, [content, "-", "0123456789".slice(random.below(10))].join(""));
      case 3:
      case 4:
      case 5:
      case 6:
        return this.#append(await found(file()), content, 1 + random.below(3));
      case 7:
        return this.#writeBlock(await found(file()), BigInt(random.below(5)), content);
      case 8:
      case 9:
        return this.#deleteHead(await found(file()), name);
      case 17:
        return this.#leaseHead(await found(file()), tools);
      case 10:
        return this.#read(await found(file()));
      case 11:
        return this.#delete(files, path);
      case 12:
        return this.#copyOrMove(files, name, path, random.oneOf(paths), random.below(3) > 0);
      case 13:
        return this.#updateMetadata(await found(file()), content);
      case 14:
        return this.#deleteBlock(await found(file()), BigInt(random.below(5)));
      case 15:
      case 16:
        return clock.wait(random.oneOf([1000, 130_000, 400_000]));
      default:
        return void (await outcomeOf(reclaimOnce(tools)));
    }
  }

  #filesOf({ name, storage, clock }: ActorTools): Files {
    const files = this.#files.get(name) ?? tableFiles(storage, { ...filesOptions, clock });
    this.#files.set(name, files);
    return files;
  }

  async #append(file: StoredFile | undefined, content: string, count: number): Promise<void> {
    if (file === undefined) return;
    for (let i = 0; i < count; i++) {
      const part = `${content}.${i}`;
      const { value: id, isStored, error } = await outcomeOf(file.append(part));
      this.claims.push({ content: part, isStored });
      if (id === undefined) return this.#checkEnd(file, error);
      const version = this.truth.of(file.path, file.version);
      if (!version.inserted.some((one) => one.id === id && one.content === part))
        throw new Violation(`${part} is not block ${id}`);
    }
  }

  async #write(files: Files, path: string, content: string): Promise<void> {
    const { value: file, isStored } = await outcomeOf(files.write(path, content));
    if (isStored === "no") this.failedWrites.push(content);
    if (file === undefined) return;
    const version = this.truth.of(path, file.version);
    const written = version.inserted.slice(0, Math.ceil(content.length / 6));
    if (written.map((one) => one.content).join("") !== content || !version.states.includes("current"))
      if (!version.states.includes("deleted")) throw new Violation(`${content} is not what was written`);
  }

  async #writeBlock(file: StoredFile | undefined, id: bigint, content: string): Promise<void> {
    if (file === undefined) return;
    const { isStored, error } = await outcomeOf(file.writeBlock(id, `w${content}`));
    if (isStored === "no") this.#checkEnd(file, error);
  }

  async #deleteHead(file: StoredFile | undefined, actor: string): Promise<void> {
    if (file === undefined) return;
    const { value: block } = await outcomeOf(file.deleteHead());
    if (block !== undefined) this.#take(file, actor, block);
  }

  /** Of those who lease a block, one at most is told that it is done. */
  async #leaseHead(file: StoredFile | undefined, { name, clock, random }: ActorTools): Promise<void> {
    if (file === undefined) return;
    const { value: lease } = await outcomeOf(file.leaseHead({ for: 1000 }));
    if (lease === undefined) return;
    await clock.wait(random.oneOf([1, 100, 2000]));
    const { isStored } = await outcomeOf(lease.done());
    if (isStored === "yes") this.#take(file, name, lease.block);
  }

  #take(file: StoredFile, actor: string, block: Block): void {
    const id = `${file.path} ${file.version} ${block.id} ${Buffer.from(block.bytes).toString()}`;
    if (this.taken.has(id)) throw new Violation(`${actor} took ${id}, which somebody else has taken`);
    this.taken.add(id);
  }

  async #deleteBlock(file: StoredFile | undefined, id: bigint): Promise<void> {
    if (file === undefined) return;
    const { blocks } = this.truth.of(file.path, file.version);
    const content = blocks.get(id);
    const { value } = await outcomeOf(file.deleteBlock(id));
    if (value === true && content !== undefined && blocks.get(id) === content)
      throw new Violation(`block ${id} of ${file.path} was deleted, and is there`);
  }

  async #read(file: StoredFile | undefined): Promise<void> {
    if (file === undefined) return;
    const version = this.truth.of(file.path, file.version);
    const before = new Map(version.blocks);
    const { value: blocks, error } = await outcomeOf(blocksOf(file));
    if (blocks === undefined) return this.#checkEnd(file, error);
    const ids = [...blocks.keys()];
    if (ids.some((id, i) => i > 0 && id <= (ids[i - 1] as bigint)))
      throw new Violation("blocks out of order");
    for (const [id, content] of before)
      if (version.blocks.get(id) === content && blocks.get(id) !== content)
        throw new Violation(`a reader of ${file.path} missed block ${id} without a word`);
  }

  async #delete(files: Files, path: string): Promise<void> {
    const before = this.truth.current(path);
    const { value } = await outcomeOf(files.delete(path));
    if (value === false && before !== undefined && this.truth.current(path) === before)
      throw new Violation(`${path} was there all the time, and was not deleted`);
  }

  async #copyOrMove(files: Files, actor: string, from: string, to: string, isMove: boolean): Promise<void> {
    if (isMove && from !== to) this.#moves.set(actor, { from, to });
    const { value: copy } = await outcomeOf(isMove ? files.move(from, to) : files.copy(from, to));
    this.#moves.delete(actor);
    if (copy === undefined || (isMove && from === to)) return;
    // Others may write blocks as soon as the copy is visible.
    const inserted = this.truth.of(to, copy.version).inserted.filter((one) => one.actor === actor);
    if (inserted.some(({ id }, i) => id !== BigInt(i))) throw new Violation("a copy has gaps");
  }

  /** What a mover deletes, its copy has. */
  #checkMove(actor: string, { path, blocks }: TrueVersion): void {
    const move = this.#moves.get(actor);
    if (move === undefined || move.from !== path) return;
    const copies = [...this.truth.versions.values()].filter(
      ({ path: other, states }) =>
        other === move.to && (states.includes("current") || states.includes("deleted")),
    );
    const isThere = copies.some(({ inserted }) => {
      const contents = new Set(inserted.map(({ content }) => content));
      return [...blocks.values()].every((content) => contents.has(content));
    });
    if (!isThere) throw new Error(`${path} was moved to ${move.to}, and some of it is in neither`);
  }

  async #updateMetadata(file: StoredFile | undefined, member: string): Promise<void> {
    if (file === undefined) return;
    const { isStored } = await outcomeOf(file.updateMetadata({ [member]: 1 }));
    if (isStored === "yes") this.metadata.push({ version: this.truth.of(file.path, file.version), member });
  }

  /** That a version takes no more, or is gone, is true where it is said. */
  #checkEnd(file: StoredFile, error: unknown): void {
    const { states } = this.truth.of(file.path, file.version);
    const code = error instanceof FileError ? error.code : "";
    if (
      (code === "file.closed" || code === "file.reclaimed") &&
      states.at(-1) === "current" &&
      this.#moves.size === 0
    )
      throw new Violation(`${file.path} is current, and was said to be ${code}`);
  }
}

/**
 * What a worker of `reclaim` does with a page of rows. How workers share pages has tests of its own; here its timers would
 * compete with each request.
 */
async function reclaimOnce({ storage, clock }: ActorTools): Promise<void> {
  const store = await new StoreOpener({ storage, options: filesOptions, clock }).forReading(undefined);
  if (store === undefined) return;
  const { entities } = await storage.query("DocsFiles", {
    filter: compare("eq", "Kind", textLiteral("version")),
  });
  for (const place of candidatesOf(store, entities)) await new VersionReclaim(store, place, undefined).run();
}

/** Something that must not be: no failure explains it. */
class Violation extends Error {}

type Outcome<Value> = {
  readonly value?: Value;
  readonly error?: unknown;
  readonly isStored: Claim["isStored"];
};

/** What a client learns of something. @throws what no failure explains */
async function outcomeOf<Value>(work: Promise<Value>): Promise<Outcome<Value>> {
  try {
    return { value: await work, isStored: "yes" };
  } catch (error) {
    if (error instanceof FileError)
      return { error, isStored: error.code === "file.in-doubt" ? "maybe" : "no" };
    if (error instanceof SaveError) return { error, isStored: error.unknown.length > 0 ? "maybe" : "no" };
    if (error instanceof StorageError) return { error, isStored: error.applied === "no" ? "no" : "maybe" };
    throw error;
  }
}

async function found<Value>(work: Promise<Value>): Promise<Value | undefined> {
  return (await outcomeOf(work)).value;
}

async function blocksOf(file: StoredFile): Promise<Map<bigint, string>> {
  const blocks = new Map<bigint, string>();
  for await (const { id, bytes } of file.blocks()) blocks.set(id, Buffer.from(bytes).toString());
  return blocks;
}
