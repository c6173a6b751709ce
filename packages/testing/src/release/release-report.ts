/** One of the two releases. */
export type ReleaseName = "old" | "new";

/**
 * What a release makes of something that the other one wrote.
 *
 * - `seen`: the same value.
 * - `another value`: a value that does not mean the same.
 * - `lost`: what was there before, as if the other release had written nothing; or a row that it cannot find.
 * - `undefined`: no value.
 * - `unreadable`: an error.
 * - `unknown kind`: a row whose kind no class declares.
 * - `not an entity`: a row that it takes for an entity of its own, and that is none.
 * - `key changed`: nothing under the key, since the two write the key in different ways.
 * - `refused`: the release may not write the row.
 * - `not maintained`: its index lacks the row, or has an outdated one.
 * - `not enforced`: a second row has a value that it holds unique.
 * - `never read`: rows of a class that it does not have.
 */
export type SeenStatus =
  | "seen"
  | "another value"
  | "lost"
  | "undefined"
  | "unreadable"
  | "unknown kind"
  | "not an entity"
  | "key changed"
  | "refused"
  | "not maintained"
  | "not enforced"
  | "never read";

/** One thing that a release did in a history. */
export interface ReleaseAct {
  readonly release: ReleaseName;
  /** `copies`: writes what it read of another row. */
  readonly act: "inserts" | "changes" | "replaces" | "removes" | "copies";
  /** Which row, counted from 1. */
  readonly row: number;
  /** The properties that it writes, as its class names them; absent for a complete row. */
  readonly properties?: readonly string[];
  /** Generated values, as plain data; never what a storage had before. */
  readonly values?: Readonly<Record<string, unknown>>;
}

/** Something that one release does not see as the other wrote it. */
export interface ReleaseFinding {
  readonly table: string;
  /** The class, as the reading release names it, where it has one. */
  readonly entity: string;
  /** The property, as the reading release names it; absent where a complete row is concerned. */
  readonly property?: string;
  readonly index?: string;
  /** The release that reads. */
  readonly reader: ReleaseName;
  readonly status: SeenStatus;
  /** Whether something is lost. Otherwise the release sees less than was written, as a lossy way back intends. */
  readonly isLoss: boolean;
  /** The error that the release got. */
  readonly code?: string;
  /** What happened and what to do, without any value. */
  readonly message: string;
  /** The shortest history that shows it: the fewest acts. */
  readonly history: readonly ReleaseAct[];
}

/** A property of both releases. */
export interface ReleaseProperty {
  /** Its names in the old class: several where properties are split or joined, none where it is new. */
  readonly old: readonly string[];
  readonly new: readonly string[];
  /** What the old release sees of values that the new one wrote. */
  readonly oldSees: SeenStatus;
  readonly newSees: SeenStatus;
}

/** A class of both releases. */
export interface ReleaseClass {
  readonly table: string;
  readonly kind: string | undefined;
  /** Its names; undefined in the release that does not have it. */
  readonly old: string | undefined;
  readonly new: string | undefined;
  readonly properties: readonly ReleaseProperty[];
  /** Why nothing, or not everything, could be tried: a sentence each. */
  readonly unchecked: readonly string[];
}

/** What two releases see of each other over one storage: plain data, which `describeRelease` prints. */
export interface ReleaseReport {
  /** Whether nothing is lost. */
  readonly isCompatible: boolean;
  readonly seed: number;
  /** Histories that were tried. */
  readonly histories: number;
  readonly classes: readonly ReleaseClass[];
  /** Losses first. */
  readonly findings: readonly ReleaseFinding[];
}
