/** A model that can be compared without its code: JSON in a fixed order, for a repository that keeps one of each release. */
export interface ModelSnapshot {
  /** The form of the snapshot itself. */
  readonly format: 1;
  /** By table, then by kind and name. */
  readonly classes: readonly ClassSnapshot[];
}

/** One class. Properties are listed by their stored names, in order. */
export interface ClassSnapshot {
  readonly name: string;
  readonly table: string;
  /** Whether it leaves its rows to its kinds. */
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
  /** The stored property that has it; null where the key or a function decides. */
  readonly storedAs: string | null;
  readonly key?: "prefix" | "suffix";
}

export interface VersionSnapshot {
  readonly number: number;
  readonly storedAs: string;
  /** The oldest version that other releases may know. */
  readonly supports: number;
  /** Rows are of this version or a later one. */
  readonly oldest: number;
  /** What each version stores, from the first one on; absent without upgrades. */
  readonly shapes?: readonly ShapeSnapshot[];
  /** The way to each version but the first. */
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
  /** As in the declaration: `padded(4)`. */
  readonly format: string;
  readonly literal?: string;
}

/** How values are stored. */
export interface TypeSnapshot {
  readonly edm: string;
  /** The converter between a value and what is stored: `Int64`, `Decimal of scale 2`. */
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
  /** The embedded object that it is a leaf of, where rows may lack that. */
  readonly within?: string;
  /** Whether rows may have it in other EDM types. */
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
  /** The text by which storage records its state. */
  readonly definition: string;
  readonly isUnique: boolean;
  readonly copy: "all" | "none" | readonly string[];
  /** Whether it is written for other releases, and no query reads it. */
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
