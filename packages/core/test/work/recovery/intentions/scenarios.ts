import type { Budget, Change } from "./state.ts";

type Wanted = readonly [Change["type"], row: number];

/** What is stored, what the user wants, and what may happen. */
export interface Scenario {
  readonly name: string;
  readonly proof: "content" | "marker";
  /** The values of the rows; undefined where there is none. */
  readonly rows: readonly (number | undefined)[];
  /** The changes of the first context, by intention. */
  readonly wants: readonly (readonly Wanted[])[];
  /** The changes of more contexts. */
  readonly moreContexts?: readonly (readonly (readonly Wanted[])[])[];
  readonly left?: Partial<Budget>;
  readonly isAtomic?: boolean;
  readonly isIdempotent?: boolean;
  /** Whether entities are attached under `*`. */
  readonly anyVersion?: boolean;
  /** `removeMissing: "ignore"`. */
  readonly ignoresMissing?: boolean;
  /** Whether saves after the first replace rows. */
  readonly replacesLater?: boolean;
  /** Whether the user may edit what is stored. */
  readonly editsStored?: boolean;
  /** Whether the members of a group that was rejected may go apart. */
  readonly goesApartOnceRejected?: boolean;
  /** Whether a message goes with each request, as its marker. */
  readonly hasOutbox?: boolean;
  /** Whether delayed upserts are looked for, and law 8 is checked. */
  readonly watchesWriters?: boolean;
}

type Described = Omit<Scenario, "name" | "proof">;

const none = undefined;
const put: Described = { rows: [9], wants: [[["put", 0]]] };
const add: Described = { rows: [none], wants: [[["put", 0]]] };
const upsert: Described = { rows: [9], wants: [[["upsert", 0]]] };
const remove: Described = { rows: [9], wants: [[["delete", 0]]] };
const move: Described = {
  rows: [9, none],
  wants: [
    [
      ["delete", 0],
      ["put", 1],
    ],
  ],
  isAtomic: true,
};
const [once, noResolve] = [{ others: 1 }, { others: 1, resolves: 0 }];

/** One context, with either proof. */
const plain: Readonly<Record<string, Described>> = {
  insert: add,
  merge: put,
  replace: { ...put, replacesLater: true },
  delete: remove,
  "delete, ignore": { ...remove, ignoresMissing: true },
  upsert,
  "upsert, idempotent": { ...upsert, rows: [none], isIdempotent: true },
  "merge under *": { ...put, anyVersion: true, left: { queries: 1 } },
  "delete under *": { ...remove, anyVersion: true },
  "insert, edited": { ...add, left: { ...once, edits: 1 } },
  "merge, edited": { ...put, left: { ...once, edits: 1 } },
  "upsert, edited": { ...upsert, left: { ...once, edits: 1 } },
  "insert, deleted": { ...add, left: { ...once, removals: 1 } },
  "merge, deleted": { ...put, left: { ...once, removals: 1 } },
  "merge, read again or discarded": { ...put, left: { ...once, discards: 1, queries: 1 } },
  "auto {delete, insert}": { rows: [9, none], wants: [[["delete", 0]], [["put", 1]]], left: noResolve },
  "auto {merge, insert}": { rows: [9, none], wants: [[["put", 0]], [["put", 1]]], left: noResolve },
  "atomic {delete, insert}": { ...move, left: once },
  "atomic {merge, insert}": {
    ...move,
    wants: [
      [
        ["put", 0],
        ["put", 1],
      ],
    ],
    left: once,
  },
  "atomic {delete, delete}": {
    ...move,
    rows: [9, 9],
    wants: [
      [
        ["delete", 0],
        ["delete", 1],
      ],
    ],
    left: once,
  },
  "atomic {merge, merge}": {
    ...move,
    rows: [9, 9],
    wants: [
      [
        ["put", 0],
        ["put", 1],
      ],
    ],
    left: once,
  },
  "atomic {delete, insert}, ignore": { ...move, ignoresMissing: true, left: noResolve },
  "atomic {delete, insert}, edited": { ...move, left: { ...noResolve, edits: 1 } },
  "atomic {delete, insert}, discarded": { ...move, left: { ...noResolve, discards: 1 } },
};

const few = { others: 0, resolves: 0, faults: 2 };

/** Two contexts of ours, with either proof; three saves together. */
const shared: Readonly<Record<string, Described>> = {
  "two contexts, insert": { ...add, moreContexts: [[[["put", 0]]]], left: { ...few, saves: 3 } },
  "two contexts, merge": { ...put, moreContexts: [[[["put", 0]]]], left: { ...few, saves: 3 } },
  "two contexts, delete": { ...remove, moreContexts: [[[["delete", 0]]]], left: { ...few, saves: 3 } },
  "two contexts, upsert": { ...upsert, moreContexts: [[[["upsert", 0]]]], left: { ...few, saves: 3 } },
  "two contexts, merge and delete": { ...put, moreContexts: [[[["delete", 0]]]], left: { ...few, saves: 3 } },
};

const sweep = { hours: 1, others: 1, faults: 2 };

/** Markers that are swept. */
const swept: Readonly<Record<string, Described>> = {
  "insert, swept": { ...add, left: sweep },
  "merge, swept": { ...put, left: sweep },
  "delete, swept": { ...remove, left: sweep },
  "upsert, swept": { ...upsert, left: sweep },
  "merge, edited, swept": { ...put, left: { ...sweep, edits: 1 } },
  "atomic {delete, insert}, swept": { ...move, left: sweep },
};

const work = { worker: 2, others: 1, faults: 2 };

/** A message goes with each request. */
const outbox: Readonly<Record<string, Described>> = {
  "insert, outbox": { ...add, hasOutbox: true, left: work },
  "merge, outbox": { ...put, hasOutbox: true, left: work },
  "upsert, outbox": { ...upsert, hasOutbox: true, left: work },
  "delete, outbox": { ...remove, hasOutbox: true, left: work },
  "upsert, outbox, swept": { ...upsert, hasOutbox: true, left: { ...work, hours: 1, others: 0 } },
  "auto {merge, insert}, outbox": {
    ...plain["auto {merge, insert}"]!,
    hasOutbox: true,
    left: { ...work, resolves: 0 },
  },
};

const late: Described = {
  ...upsert,
  isIdempotent: true,
  editsStored: true,
  watchesWriters: true,
  left: { edits: 1, saves: 3, others: 0, resolves: 0, faults: 2 },
};

/** Upserts that arrive after something newer of ours was stored. */
const delayed: Readonly<Record<string, Described>> = {
  "upsert, delayed": late,
  "upsert of a new row, delayed": { ...late, rows: [none] },
  "upsert, delayed, others write": { ...late, left: { ...late.left, others: 1 } },
  "upsert, delayed, deleted": { ...late, left: { ...late.left, edits: 0, removals: 1 } },
  "upsert, delayed, edited twice": { ...late, left: { ...late.left, edits: 2, attempts: 4 } },
  "merge under *, delayed": { ...late, wants: put.wants, anyVersion: true },
};

const named = (proof: Scenario["proof"], all: Readonly<Record<string, Described>>): Scenario[] =>
  Object.entries(all).map(([name, one]) => ({ ...one, name: `${proof}: ${name}`, proof }));

export const scenarios: readonly Scenario[] = [
  ...[plain, shared].flatMap((all) => [...named("content", all), ...named("marker", all)]),
  ...[swept, outbox].flatMap((all) => named("marker", all)),
  ...named("content", delayed),
];
