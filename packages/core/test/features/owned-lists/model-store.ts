// The rows of one partition, as the model of owned lists sees them. An order has the key "7", its lines "7!1", "7!2".

/** A stored row: one number stands for all of its values. */
export interface Row {
  readonly value: number;
  readonly version: number;
}

/** What a save sends for one row; `version` is the condition. */
export type Operation =
  | { readonly type: "insert"; readonly key: string; readonly value: number }
  | {
      readonly type: "merge" | "replace";
      readonly key: string;
      readonly value: number;
      readonly version: number;
    }
  | { readonly type: "delete"; readonly key: string; readonly version: number };

/** Why the service refuses a transaction, as the code of the error says it. */
export type Refusal = "conflict.exists" | "conflict.missing" | "conflict.etag";

/** The key of the order that a line belongs to; undefined for an order. */
export const parentOf = (key: string): string | undefined =>
  key.includes("!") ? key.slice(0, key.indexOf("!")) : undefined;

export class ModelStore {
  readonly rows = new Map<string, Row>();
  #version = 0;

  /** Applies all operations or none; returns the first that was refused. */
  transact(operations: readonly Operation[]): { readonly key: string; readonly reason: Refusal } | undefined {
    for (const operation of operations) {
      const reason = this.refusal(operation);
      if (reason !== undefined) return { key: operation.key, reason };
    }
    for (const operation of operations)
      if (operation.type === "delete") this.rows.delete(operation.key);
      else this.put(operation.key, operation.value);
    return undefined;
  }

  /** Another writer stores a row, whether it is there or not. */
  put(key: string, value: number): void {
    this.rows.set(key, { value, version: ++this.#version });
  }

  /** The keys of an order's lines, in key order. */
  linesOf(order: string): string[] {
    return [...this.rows.keys()].filter((key) => parentOf(key) === order).toSorted(byNumber);
  }

  /** Why an operation would be refused. */
  refusal(operation: Operation): Refusal | undefined {
    const row = this.rows.get(operation.key);
    if (operation.type === "insert") return row === undefined ? undefined : "conflict.exists";
    if (row === undefined) return "conflict.missing";
    return operation.version === row.version ? undefined : "conflict.etag";
  }
}

const byNumber = (a: string, b: string): number => Number(a.split("!")[1]) - Number(b.split("!")[1]);
