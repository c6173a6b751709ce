import type { StoredEntity, WriteOperation } from "@partita/core/storage";
import { escaped } from "@partita/core/keys";
import type { JournalEntry } from "@partita/testing";
import { versionFormat } from "../../src/rows/name-rows.ts";

/** A version, by its partition of blocks. */
export const placeKey = (path: string, version: number): string =>
  `${escaped.encode(path)}!${String(version).padStart(10, "0")}`;

/** What really is stored of one version. */
export interface TrueVersion {
  readonly path: string;
  readonly version: number;
  /** Each state that it had, in order. */
  readonly states: string[];
  /** The blocks it has now. */
  readonly blocks: Map<bigint, string>;
  /** Every content that was ever inserted, with its id, and who inserted it. */
  readonly inserted: { readonly id: bigint; readonly content: string; readonly actor: string }[];
  /** Of its state row; undefined where there is none. */
  next: bigint | undefined;
  /** Blocks that were added, and deleted, as its rows count them. */
  metadata: string;
}

const following: Readonly<Record<string, readonly string[]>> = {
  "": ["writing", "current"],
  writing: ["current", "deleted"],
  current: ["deleted"],
  deleted: ["removed"],
  removed: [],
};

/** Follows what the store carries out, and knows what may never happen there. */
export class Truth {
  readonly versions = new Map<string, TrueVersion>();
  /** The version that the head of each path names. */
  readonly heads = new Map<string, number | undefined>();
  readonly #newest = new Map<string, number>();
  /** Called where a version of a path is deleted, before it is. */
  onDeleted: (actor: string, version: TrueVersion) => void = () => undefined;

  /** @throws what is wrong */
  apply({ actor, operations, table }: Pick<JournalEntry, "actor" | "operations" | "table">): void {
    for (const operation of operations) {
      const { partitionKey, rowKey } = keyOf(operation);
      const [kind = "", path = "", number = "", id = ""] = rowKey.split("!");
      if (table === "DocsBlocks") {
        const [ownPath = "", ownNumber = ""] = partitionKey.split("!");
        const [ownKind, ownId = ""] = rowKey.split("_");
        if (ownKind === "block") this.#applyBlock(actor, [ownPath, ownNumber, ownId], operation, operations);
      } else if (kind === "version") this.#applyFile(actor, path, number, operation);
      else if (kind === "block") this.#applyBlock(actor, [path, number, id], operation, operations);
      else if (kind === "head") this.#applyHead(path, operation);
    }
    // The head of a path names its current version, after each transaction.
    for (const [path, head] of this.heads)
      if (head !== this.current(path)?.version) throw new Error(`the head of ${path} names ${head}`);
  }

  of(path: string, version: number): TrueVersion {
    const key = placeKey(path, version);
    const found = this.versions.get(key);
    if (found !== undefined) return found;
    const made = {
      path,
      version,
      states: [],
      blocks: new Map(),
      inserted: [],
      next: undefined,
      metadata: "",
    };
    this.versions.set(key, made);
    return made;
  }

  /** What a path stands for. */
  current(path: string): TrueVersion | undefined {
    return [...this.versions.values()]
      .filter((one) => one.path === path && one.states.at(-1) === "current")
      .toSorted((a, b) => b.version - a.version)[0];
  }

  #applyHead(pathKey: string, operation: WriteOperation): void {
    if (operation.type === "delete") throw new Error(`the head of ${pathKey} was deleted`);
    const path = escaped.decode(pathKey) ?? "";
    const { Version: version, Newest: newest } = operation.entity;
    if (Number(newest ?? this.#newest.get(path)) < (this.#newest.get(path) ?? 0))
      throw new Error(`the newest version of ${path} has fallen`);
    this.#newest.set(path, Number(newest ?? this.#newest.get(path)));
    // A delete of properties replaces the row.
    const before = operation.type === "replace" ? undefined : this.heads.get(path);
    this.heads.set(path, version === undefined ? before : Number(version));
  }

  #applyFile(actor: string, pathKey: string, inverted: string, operation: WriteOperation): void {
    const version = this.of(escaped.decode(pathKey) ?? "", versionFormat.decode(inverted) ?? 0);
    const before = version.states.at(-1) ?? "";
    const entity = "entity" in operation ? operation.entity : undefined;
    const after = entity === undefined ? "removed" : String(entity["State"] ?? before);
    if (entity?.["Metadata"] !== undefined) version.metadata = String(entity["Metadata"]);
    if (after === before) return;
    if (following[before]?.includes(after) !== true)
      throw new Error(`${version.path} ${version.version} was ${before || "nothing"}, and is ${after}`);
    if (before === "current") this.onDeleted(actor, version);
    version.states.push(after);
  }

  #applyBlock(
    actor: string,
    [path = "", number = "", id = ""]: readonly string[],
    operation: WriteOperation,
    all: readonly WriteOperation[],
  ): void {
    const version = this.of(escaped.decode(path) ?? "", Number(number));
    if (version.states.length === 0) throw new Error("blocks without a version's row");
    const entity = "entity" in operation ? operation.entity : undefined;
    if (id.startsWith("$")) {
      if (id !== "$state") return;
      const next = entity?.["Next"] === undefined ? version.next : BigInt(String(entity["Next"]));
      if (entity !== undefined && (next ?? 0n) < (version.next ?? 0n)) throw new Error("Next has fallen");
      version.next = entity === undefined ? undefined : next;
      return;
    }
    const block = BigInt(id);
    if (entity === undefined) return void version.blocks.delete(block);
    // A lease does not change the bytes.
    if (entity["Lease"] !== undefined && entity["Size"] === undefined) return;
    const isTogether = all.some(
      (one) =>
        keyOf(one).rowKey.endsWith("$state") &&
        (one.type === "insert" || (one.type === "merge" && one.etag !== "*")),
    );
    if (!isTogether || block >= (version.next ?? 0n)) throw new Error(`block ${id} came without its state`);
    const content = contentOf(entity);
    if (operation.type === "insert") version.inserted.push({ id: block, content, actor });
    version.blocks.set(block, content);
  }
}

const keyOf = (operation: WriteOperation): { partitionKey: string; rowKey: string } =>
  operation.type === "delete"
    ? operation.key
    : { partitionKey: operation.entity.PartitionKey, rowKey: operation.entity.RowKey };

const contentOf = (entity: StoredEntity): string =>
  Buffer.from(String(entity["B0"] ?? ""), "base64").toString();
