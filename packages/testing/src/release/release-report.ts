/** One of the two releases. */
export type ReleaseName = "old" | "new";

/**
 * How a release sees a value or row that the other one wrote.
 *
 * - `seen`: the same value.
 * - `another value`: a value with another meaning.
 * - `lost`: the former state, as if the other release had written nothing; or a row that cannot be found.
 * - `undefined`: no value.
 * - `unreadable`: an error.
 * - `unknown kind`: a row of a kind that no class declares.
 * - `not an entity`: a foreign row that it reads as one of its own entities.
 * - `key changed`: nothing under the key, since the releases write the key in different ways.
 * - `refused`: the release may not write the row.
 * - `not maintained`: its index lacks the row, or has an outdated one.
 * - `not enforced`: a second row has a value that is unique in this release.
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

/** An action of a release in a history. */
export interface ReleaseAct {
  readonly release: ReleaseName;
  /** `copies`: writes the values that it read from another row. */
  readonly act: "inserts" | "changes" | "replaces" | "removes" | "copies";
  /** The number of the row, starting from 1. */
  readonly row: number;
  /** The written properties, by their names in the class; absent for a complete row. */
  readonly properties?: readonly string[];
  /** Generated values, as plain data; never values from a real storage. */
  readonly values?: Readonly<Record<string, unknown>>;
}

/** A value or row that one release does not see as the other wrote it. */
export interface ReleaseFinding {
  readonly table: string;
  /** The name of the class in the reading release, if it has the class. */
  readonly entity: string;
  /** The name of the property in the reading release; absent if a complete row is concerned. */
  readonly property?: string;
  readonly index?: string;
  /** The release that reads. */
  readonly reader: ReleaseName;
  readonly status: SeenStatus;
  /** Whether something is lost. If not, the release sees less than was written, as a lossy way back intends. */
  readonly isLoss: boolean;
  /** The code of the error in that release. */
  readonly code?: string;
  /** The finding and its remedy, without any value. */
  readonly message: string;
  /** The shortest history that shows it, by the number of actions. */
  readonly history: readonly ReleaseAct[];
}

/** A property of both releases. */
export interface ReleaseProperty {
  /** Its names in the old class: several if properties are split or joined, none if it is new. */
  readonly old: readonly string[];
  readonly new: readonly string[];
  /** How the old release sees values that the new one wrote. */
  readonly oldSees: SeenStatus;
  readonly newSees: SeenStatus;
}

/** A class of both releases. */
export interface ReleaseClass {
  readonly table: string;
  readonly kind: string | undefined;
  /** Its name in the old release; undefined if the class is new. */
  readonly old: string | undefined;
  readonly new: string | undefined;
  readonly properties: readonly ReleaseProperty[];
  /** Reasons why nothing, or not everything, could be tried; one sentence each. */
  readonly unchecked: readonly string[];
}

/** How two releases read each other's rows in one storage: plain data, which `describeRelease` prints. */
export interface ReleaseReport {
  /** Whether nothing is lost. */
  readonly isCompatible: boolean;
  readonly seed: number;
  /** The number of histories that were tried. */
  readonly histories: number;
  readonly classes: readonly ReleaseClass[];
  /** Losses first. */
  readonly findings: readonly ReleaseFinding[];
}
