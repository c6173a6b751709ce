/** A model that can be compared without its code: JSON in a fixed order, so you can commit one for each release. */
export interface ModelSnapshot {
  /** The format of the snapshot. */
  readonly format: 1;
  /** Sorted by table, then by kind and name. */
  readonly classes: readonly ClassSnapshot[];
}

/** One class. Properties are sorted by their stored names. */
export interface ClassSnapshot {
  readonly name: string;
  readonly table: string;
  /** Whether all its rows belong to its kinds. */
  readonly isBase: boolean;
  readonly kind?: KindSnapshot;
  readonly version?: VersionSnapshot;
  readonly partitionKey: KeySnapshot;
  readonly rowKey: KeySnapshot;
  readonly properties: readonly PropertySnapshot[];
  readonly embedded?: readonly EmbeddedSnapshot[];
  readonly indexes?: readonly IndexSnapshot[];
  /** Lists of other classes. */
  readonly lists?: readonly ListSnapshot[];
  readonly settings: SettingsSnapshot;
}

export interface KindSnapshot {
  readonly name: string;
  readonly formerly: readonly string[];
  /** The stored property of the discriminator; null if the key or a function decides. */
  readonly storedAs: string | null;
  readonly key?: "prefix" | "suffix";
}

export interface VersionSnapshot {
  readonly number: number;
  readonly storedAs: string;
  /** The oldest version that other releases may know. */
  readonly supports: number;
  /** The oldest version that rows may have. */
  readonly oldest: number;
  /** The stored properties of each version, from the first one; absent without upgrades. */
  readonly shapes?: readonly ShapeSnapshot[];
  /** The step to each version, from the second one. */
  readonly changes?: readonly ChangeSnapshot[];
}

/** Types by stored name. */
export type ShapeSnapshot = Readonly<Record<string, TypeSnapshot>>;

export type ChangeSnapshot =
  | { readonly type: "free"; readonly hasBack: boolean }
  | { readonly type: "steps"; readonly steps: readonly StepSnapshot[] };

export interface StepSnapshot {
  readonly op: "rename" | "add" | "remove" | "retype" | "split" | "join";
  readonly from: readonly string[];
  readonly to: readonly string[];
  /** Whether a step that needs a function for the way back has one. */
  readonly hasBack?: boolean;
}

export interface KeySnapshot {
  readonly separator: string;
  readonly parts: readonly KeyPartSnapshot[];
}

export interface KeyPartSnapshot {
  /** Absent for the name of a kind. */
  readonly property?: string;
  /** The format as in the declaration: `padded(4)`. */
  readonly format: string;
  readonly literal?: string;
}

/** The stored form of values. */
export interface TypeSnapshot {
  readonly edm: string;
  /** The converter between a value and its stored form: `Int64`, `Decimal of scale 2`. */
  readonly type: string;
  readonly presence: "required" | "optional" | "default";
  /** All values of an enum, in the order of the declaration. */
  readonly values?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
}

export interface PropertySnapshot extends TypeSnapshot {
  readonly storedAs: string;
  /** Its name in the class. */
  readonly name: string;
  /** Whether rows without it are read with a value. */
  readonly hasInitial?: true;
  /** The embedded object of this leaf, if rows may lack that object. */
  readonly within?: string;
  /** Whether rows may contain it in other EDM types. */
  readonly alsoReads?: true;
  readonly isHidden?: true;
}

export interface EmbeddedSnapshot {
  readonly name: string;
  readonly storedAs: string;
  readonly isRequired: boolean;
  /** Stored names of its leaves. */
  readonly leaves: readonly string[];
}

export interface IndexSnapshot {
  readonly name: string;
  /** The text that identifies its definition in the recorded state. */
  readonly definition: string;
  readonly isUnique: boolean;
  readonly copy: "all" | "none" | readonly string[];
  /** Whether it is written for other releases only, and not read by queries. */
  readonly isUnread?: true;
  readonly state?: string;
}

export interface ListSnapshot {
  readonly property: string;
  readonly of: string;
  readonly isOwned: boolean;
}

export interface SettingsSnapshot {
  readonly kindProperty: string;
  readonly versionProperty: string;
  readonly unknownKind: string;
  readonly proof: string;
  readonly outbox: boolean;
  readonly indexStates: string;
  readonly scopedBy?: string;
  readonly unscoped?: boolean;
}
