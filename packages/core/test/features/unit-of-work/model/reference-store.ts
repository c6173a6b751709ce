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
    const kept = isMerge ? this.rows.get(key)?.values : {};
    this.rows.set(key, { values: { ...kept, ...values }, version: ++this.#version });
  }
}

export const isConditional = ({ type, version }: Write): boolean =>
  type === "insert" || (version !== undefined && version !== "*");

/** What one row says of its own write. */
export type Member = "applied" | "gone" | "unchanged" | "absent" | "undecided";

/** What rows prove of writes whose answer was lost, and what each of them says. */
export function judge(
  writes: readonly Write[],
  rows: ReadonlyMap<string, Row>,
): { readonly verdict: Member; readonly members: readonly Member[] } {
  const members = writes.map(({ type, key, values, version, isFence }): Member => {
    const row = rows.get(key);
    if (row !== undefined && row.version === version) return "unchanged";
    if (type === "delete") return row === undefined ? "gone" : "undecided";
    if (row === undefined) return type === "merge" || type === "replace" ? "undecided" : "absent";
    if (isFence === true) return "undecided";
    const isPart = type === "merge" || type === "upsert-merge";
    const names = Object.keys(isPart ? values : { ...values, ...row.values }) as (keyof Values)[];
    return names.every((name) => values[name] === row.values[name]) ? "applied" : "undecided";
  });
  return { verdict: verdictOf(members), members };
}

function verdictOf(members: readonly Member[]): Member {
  if (members.includes("unchanged")) return "unchanged";
  const isAsSent = members.every((one) => one === "applied" || one === "gone");
  if (isAsSent && members.includes("applied")) return "applied";
  return members.every((one) => one === "absent") ? "absent" : "undecided";
}

/** Whether two writes ask for the same, be it of another version; parts and whole rows are never compared here. */
export const asksForSame = (a: Write, b: Write): boolean =>
  (a.type === "delete") === (b.type === "delete") &&
  a.key === b.key &&
  (a.type === "delete" || (a.type.endsWith("merge") === b.type.endsWith("merge") && hasSameValues(a, b)));

const hasSameValues = (a: Write, b: Write): boolean =>
  (["p", "q", "r", "x"] as const).every((name) => a.values[name] === b.values[name]);
