// The store of the reference model: rows as plain values, versions as numbers.

/** Declared properties p, q, r; x is somebody else's. */
export type Values = Readonly<Partial<Record<"p" | "q" | "r" | "x", number>>>;

export interface Row {
  readonly values: Values;
  readonly version: number;
}

/** A write, in the model's words; `version` is the condition, `*` for any. */
export interface Write {
  readonly type: "insert" | "merge" | "replace" | "upsert-merge" | "upsert-replace" | "delete";
  readonly key: string;
  readonly values: Values;
  readonly version?: number | "*";
  /** Whether it only rewrites what is stored. */
  readonly isFence?: boolean;
}

export type Refusal = "exists" | "missing" | "etag";

export class ReferenceStore {
  readonly rows = new Map<string, Row>();
  #version = 0;

  /** Applies all or none; says which one was refused, and why. */
  transact(writes: readonly Write[]): { readonly index: number; readonly reason: Refusal } | undefined {
    for (const [index, write] of writes.entries()) {
      const reason = this.#refusal(write);
      if (reason !== undefined) return { index, reason };
    }
    for (const write of writes) this.#apply(write);
    return undefined;
  }

  #refusal({ type, key, version }: Write): Refusal | undefined {
    const row = this.rows.get(key);
    if (type === "insert") return row === undefined ? undefined : "exists";
    if (type === "upsert-merge" || type === "upsert-replace") return undefined;
    if (row === undefined) return "missing";
    return version === "*" || version === row.version ? undefined : "etag";
  }

  #apply({ type, key, values }: Write): void {
    if (type === "delete") {
      this.rows.delete(key);
      return;
    }
    const isMerge = type === "merge" || type === "upsert-merge";
    const snapshotValue = isMerge ? this.rows.get(key)?.values : {};
    this.rows.set(key, { values: { ...snapshotValue, ...values }, version: ++this.#version });
  }
}

export const isConditional = ({ type, version }: Write): boolean =>
  type === "insert" || (version !== undefined && version !== "*");

/** What one row says of its own write. */
export type Member = "not yet" | "gone" | "absent" | "missing" | "equal" | "other";

/** What rows say of writes whose response was lost. */
export type Finding = "never" | "not yet" | "content" | "closed" | "open";

/** @param wasOver - whether they could not arrive any more when the rows were read */
export function judge(
  writes: readonly Write[],
  rows: ReadonlyMap<string, Row>,
  wasOver: boolean,
): { readonly finding: Finding; readonly members: readonly Member[] } {
  const members = writes.map((write) => memberOf(write, rows.get(write.key)));
  return { finding: findingOf(writes, members, wasOver), members };
}

function memberOf({ type, values, version, isFence }: Write, row: Row | undefined): Member {
  if (row === undefined) {
    if (type === "delete") return "gone";
    return type === "merge" || type === "replace" ? "missing" : "absent";
  }
  if (row.version === version) return "not yet";
  if (type === "delete" || isFence === true) return "other";
  const isPart = type === "merge" || type === "upsert-merge";
  const names = Object.keys(isPart ? values : { ...values, ...row.values }) as (keyof Values)[];
  return names.every((name) => values[name] === row.values[name]) ? "equal" : "other";
}

function findingOf(writes: readonly Write[], members: readonly Member[], wasOver: boolean): Finding {
  if (members.includes("not yet")) return wasOver ? "never" : "not yet";
  if (members.includes("equal") && members.every((one) => one === "equal" || one === "gone"))
    return "content";
  // A version does not come back.
  return wasOver || writes.some(({ version }) => typeof version === "number") ? "closed" : "open";
}

/** Whether two writes ask for the same, be it of another version, or in part. */
export function asksForSame(a: Write, b: Write): boolean {
  if (a.key !== b.key) return false;
  if (a.type === "delete" || b.type === "delete") return a.type === b.type;
  const [isPart, isOtherPart] = [a.type.endsWith("merge"), b.type.endsWith("merge")];
  if (isPart === isOtherPart) return hasSameValues(a, b);
  const [part, whole] = isPart ? [a, b] : [b, a];
  return (Object.keys(part.values) as (keyof Values)[]).every(
    (name) => part.values[name] === whole.values[name],
  );
}

const hasSameValues = (a: Write, b: Write): boolean =>
  (["p", "q", "r", "x"] as const).every((name) => a.values[name] === b.values[name]);
