import type { StoredEntity, WriteOperation } from "@partita/core/storage";
import { escaped } from "@partita/core/keys";
import type { JournalEntry } from "@partita/testing";
import { versionFormat } from "../../src/rows/file-rows.ts";

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
  /** Every content that was ever inserted, with its id. */
  readonly inserted: { readonly id: bigint; readonly content: string }[];
  /** Of its state row; undefined where there is none. */
  next: bigint | undefined;
  metadata: string;
}

const following: Readonly<Record<string, readonly string[]>> = {
  "": ["writing"],
  writing: ["current", "deleted"],
  current: ["deleted"],
  deleted: ["reclaimed", "removed"],
  reclaimed: ["removed"],
  removed: [],
};

/** Follows what the store carries out, and knows what may never happen there. */
export class Truth {
  readonly versions = new Map<string, TrueVersion>();
  /** Called where a version of a path is deleted, before it is. */
  onDeleted: (actor: string, version: TrueVersion) => void = () => undefined;

  /** @throws what is wrong */
  apply({ actor, operations, table }: Pick<JournalEntry, "actor" | "operations" | "table">): void {
    for (const operation of operations) {
      if (table === "DocsFiles") this.#applyFile(actor, operation);
      if (table === "DocsBlocks") this.#applyBlock(operation, operations);
    }
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

  #applyFile(actor: string, operation: WriteOperation): void {
    const { partitionKey, rowKey } = keyOf(operation);
    if (partitionKey === "!") return;
    const [path = "", inverted = ""] = rowKey.split("!");
    const version = this.of(escaped.decode(path) ?? "", versionFormat.decode(inverted) ?? 0);
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

  #applyBlock(operation: WriteOperation, all: readonly WriteOperation[]): void {
    const { partitionKey, rowKey } = keyOf(operation);
    const [path = "", number = ""] = partitionKey.split("!");
    const version = this.of(escaped.decode(path) ?? "", Number(number));
    if (version.states.length === 0) throw new Error("blocks without a version's row");
    const entity = "entity" in operation ? operation.entity : undefined;
    if (rowKey === "!") {
      const next = entity?.["Next"] === undefined ? version.next : BigInt(String(entity["Next"]));
      if (entity !== undefined && (next ?? 0n) < (version.next ?? 0n)) throw new Error("Next has fallen");
      version.next = entity === undefined ? undefined : next;
      return;
    }
    const id = BigInt(rowKey);
    if (entity === undefined) return void version.blocks.delete(id);
    const isTogether = all.some(
      (one) => keyOf(one).rowKey === "!" && one.type === "merge" && one.etag !== "*",
    );
    if (!isTogether || id >= (version.next ?? 0n)) throw new Error(`block ${id} came without its state`);
    const content = contentOf(entity);
    if (operation.type === "insert") version.inserted.push({ id, content });
    version.blocks.set(id, content);
  }
}

const keyOf = (operation: WriteOperation): { partitionKey: string; rowKey: string } =>
  operation.type === "delete"
    ? operation.key
    : { partitionKey: operation.entity.PartitionKey, rowKey: operation.entity.RowKey };

const contentOf = (entity: StoredEntity): string =>
  Buffer.from(String(entity["B0"] ?? ""), "base64").toString();
