import type { Serializer } from "../../values/edm/serializer.ts";
import { annotationOf, type StoredEntity, type StoredValue } from "../../values/edm/stored-entity.ts";
import type { PropertyPath } from "../../values/errors/serialization-error.ts";
import type { UpgradeChain } from "../upgrade/upgrade-chain.ts";
import type { KeyName } from "../../values/keys/key-rules.ts";
import type { KeyPart, KeyTemplate } from "../../values/keys/key-template.ts";
import type {
  ChildrenDefinition,
  EntityClass,
  IndexCopy,
  IndexState,
  TableOptions,
} from "./entity-definition.ts";
import type { EmbeddedDeclaration, Presence, SaveFill } from "./property-type.ts";

/** One stored property of a model, ready to encode and decode. */
export interface PropertyModel {
  /** The property of the class. */
  readonly name: string;
  /** The property of the stored entity. */
  readonly storedName: string;
  /** The member of the stored entity that holds its EDM type. */
  readonly annotationName: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- checked where the property was declared
  readonly serializer: Serializer<any>;
  /** A property that new entities fill is required or optional in rows. */
  readonly presence: Exclude<Presence, "filled">;
  /** Makes the value of a new entity that was given none; undefined without a default function. */
  readonly fill: (() => unknown) | undefined;
  /** Makes the value that a save writes; undefined if only the program sets it. */
  readonly onSave: SaveFill<unknown> | undefined;
  /** Makes the initial value of an instance that was built without initial values; undefined if there is none. */
  readonly initial: (() => unknown) | undefined;
  /** Whether new instances have an initial value. Rows without a value are read with it. */
  readonly hasInitial: () => boolean;
  /** The value of rows that lack one, in stored form; undefined if it differs from instance to instance. */
  readonly defaultStored: () => StoredValue | undefined;
  /**
   * The codec's cached result for the last value that a row lacked: nearly all entities of a class have the same one.
   */
  readonly lastInitial: { made?: object };
  /** Whether plain data leaves the property out. */
  readonly isHidden: boolean;
  /** Whether stored values may have other EDM types, so the service cannot evaluate filters on the property. */
  readonly isStoredAsOther: boolean;
  /** The bytes that the service counts for the property in addition to its value. */
  readonly overheadBytes: number;
  readonly path: PropertyPath;
  /**
   * The position of its value, if it is a leaf of an embedded object: its name is then a path, such as `address.city`.
   */
  readonly place: EmbeddedPlace | undefined;
  /** Of a property that only older releases know: rows have it, and entities do not. */
  readonly isOlder?: true;
}

/** A leaf of an embedded object. */
export interface EmbeddedPlace {
  readonly of: EmbeddedModel;
  /** Its name in the object; absent for the marker of the object. */
  readonly member?: string;
}

/** An object inside the entities of a class. */
export interface EmbeddedModel {
  /** Its path from the entity: `address`, or `address.position`. */
  readonly name: string;
  readonly path: PropertyPath;
  /** The prefix of its leaves' stored names. */
  readonly storedName: string;
  /** Its name in the object that contains it. */
  readonly member: string;
  readonly declaration: EmbeddedDeclaration;
  /** The object that contains it; undefined if the entity contains it directly. */
  readonly parent: EmbeddedModel | undefined;
  readonly isRequired: boolean;
  readonly leaves: readonly PropertyModel[];
  /** The objects that it contains. */
  readonly parts: readonly EmbeddedModel[];
  /** The column that shows an object without any value; undefined if a required leaf shows it. */
  readonly marker: PropertyModel | undefined;
}

/** The position of a property in a key. */
export interface KeyProperty {
  readonly name: string;
  readonly key: KeyName;
  /** Zero-based position among the key's parts. */
  readonly index: number;
}

/** A part of a key that is made from a property declared elsewhere, such as the month of a date. */
export interface DerivedPart {
  readonly key: KeyName;
  /** Zero-based position among the key's parts. */
  readonly index: number;
  readonly part: KeyPart;
}

/** A part of a key with a format that generates values. */
export interface GeneratedPart {
  readonly name: string;
  readonly generate: () => unknown;
}

/** A table's settings with their defaults; separators are in the key templates. */
export type TableSettings = Required<Omit<TableOptions, "separator" | ContextualOption>> &
  Pick<TableOptions, ContextualOption>;

/** Settings without a default in the table. */
type ContextualOption = "undeclared" | "scopedBy" | "unscoped" | "formerKeys";

/**
 * The stored property of every row that is not an entity: an index row, a marker, a message of an outbox. Its value
 * tells which. No reader returns such a row as an entity, even if its class knows nothing of the index or the outbox.
 */
export const rowProperty = "_row";

/** The value of that property in the rows of an index. */
export const indexRowType = (index: string): string => `index:${index}`;

/** The prefix of every marker's RowKey, in tables with `proof: "marker"`; '~' sorts after all letters and digits. */
export const markerPrefix = "~w~";

/** The prefix of every PartitionKey of reservations for values that are unique in the table. */
export const reservationPrefix = "~u~";

/** The prefix of every message's RowKey, in tables with `outbox: true`. */
export const outboxPrefix = "~o~";

/** The kind of a class that shares its table with others. */
export interface KindModel {
  readonly name: string;
  /** The stored name of the discriminator, which rows only have if `isStored`. */
  readonly storedName: string;
  readonly isStored: boolean;
  readonly key: "prefix" | "suffix" | undefined;
  /** Its current name and its former names. */
  readonly names: readonly string[];
  /** Decides whether a row is of this kind, if no property shows it. */
  readonly isOfKind: ((row: StoredEntity) => boolean) | undefined;
}

/** The version a class writes. */
export interface VersionModel {
  readonly number: number;
  readonly storedName: string;
  /**
   * The oldest version that other releases may still know; rows keep its form. Without such releases, the class's own
   * version.
   */
  readonly lowest: number;
  /** Whether that version is older than the class's own. */
  readonly isShared: boolean;
  /** How rows of older versions are upgraded; undefined if they are read unchanged. */
  readonly chain: UpgradeChain | undefined;
}

/**
 * A secondary index: the entity is stored once more in its partition, under another RowKey. Index rows are not
 * entities. Each is a function of the entity's own row.
 */
export interface IndexModel {
  readonly name: string;
  readonly isUnique: boolean;
  /** Whether its values are unique in the complete table: a reservation in another partition guarantees it. */
  readonly isOverTable: boolean;
  readonly copy: IndexCopy;
  /**
   * The state that the class declares: always in tables with `indexStates: "declared"`, otherwise only for a retired
   * index.
   */
  readonly state: IndexState | undefined;
  /** The index as text: an index with another declaration is another index. */
  readonly definition: string;
  /** The prefix of its rows' RowKeys, which no other rows have. */
  readonly prefix: string;
  /**
   * Whether no query of this release reads it, because supported older releases do not write it, or only they use it.
   */
  readonly isUnread: boolean;
  /** The class of an older release that declares it, if this one does not. */
  readonly former: EntityModel | undefined;
  /**
   * The declared parts and, if they do not hold all of it, the entity's RowKey as the last part; unique indexes leave
   * it out.
   */
  readonly rowKey: KeyTemplate;
  /** Whether the declared parts hold the entity's complete RowKey. */
  readonly holdsRowKey: boolean;
  /**
   * The model of the index rows: RowKeys with the declared parts and then every other part of the entity's RowKey, a
   * kind of its own, and the copied properties. Queries over the index are planned with it.
   */
  readonly rows: EntityModel;
  /** The copied properties, by their positions in the class's own model. */
  readonly copied: readonly number[];
  /** Stored properties in its keys, by their positions in the class's own model. */
  readonly sources: readonly number[];
}

/** The model of an entity class: plain, frozen data that all other code reads. */
export interface EntityModel {
  readonly entityClass: EntityClass;
  /** The class's name, for messages. */
  readonly name: string;
  readonly table: string;
  readonly options: TableSettings;
  readonly kind: KindModel | undefined;
  readonly version: VersionModel | undefined;
  readonly partitionKey: KeyTemplate;
  readonly rowKey: KeyTemplate;
  /** The properties in the keys; they are not stored a second time. */
  readonly keyProperties: readonly KeyProperty[];
  readonly derivedParts: readonly DerivedPart[];
  /** The key parts that are generated for new entities without a value. */
  readonly generated: readonly GeneratedPart[];
  /** Whether the text of each key is the value of its property. */
  readonly hasVerbatimKeys: boolean;
  readonly properties: readonly PropertyModel[];
  /** The outermost objects inside its entities; undefined without any. */
  readonly embedded: readonly EmbeddedModel[] | undefined;
  /** The properties with default functions, in the order of declaration. */
  readonly filled: readonly PropertyModel[];
  /** The properties that saves fill; undefined without any. */
  readonly savedFills: readonly PropertyModel[] | undefined;
  /**
   * A stored entity with every member this class writes, unset. Images are copies of it, so all have the same hidden
   * class. Objects that grow by computed names become slow dictionaries.
   */
  readonly emptyImage: StoredEntity;
  /** A member for each property, unset. Snapshots are copies of it and have the right length from the start. */
  readonly noValues: readonly undefined[];
  readonly indexes: readonly IndexModel[];
  /** Prefixes that no entity's RowKey may have, because index rows use them. */
  readonly reservedPrefixes: readonly string[];
  /** The index that this model describes the rows of; undefined for a class's own model. */
  readonly index?: string;
  /** Properties that hold children of another class. */
  readonly children: readonly ChildrenDefinition[];
  /** Properties that the class itself declares as not stored. */
  readonly notStored: readonly string[];
  readonly etagProperty: string | undefined;
  readonly timestampProperty: string | undefined;
  /** Builds a new instance, with its initial values. */
  readonly create: () => object;
  /** Builds an instance to receive stored values. */
  readonly createBlank: () => object;
}

/** How rows hold a property under a name. */
export const storedUnder = (
  storedName: string,
): Pick<PropertyModel, "storedName" | "annotationName" | "overheadBytes"> => ({
  storedName,
  annotationName: annotationOf(storedName),
  overheadBytes: 8 + 2 * storedName.length,
});

/** The property with this name, in the key or stored; undefined if the model has none. */
export function findProperty(model: EntityModel, name: string): PropertyModel | KeyProperty | undefined {
  return model.properties.find((p) => p.name === name) ?? model.keyProperties.find((p) => p.name === name);
}

/** Every property that the model declares, keys first; embedded objects by their own names. */
export const propertyNames = ({
  keyProperties,
  properties,
  embedded = [],
}: EntityModel): readonly string[] => [
  ...keyProperties.map((p) => p.name),
  ...properties.flatMap(({ name, place }) => (place === undefined ? [name] : [])),
  ...embedded.map(({ name }) => name),
];

/** The stored properties that a name of the class refers to: one, or the leaves of an embedded object. */
export const propertiesNamed = (
  { properties, embedded }: EntityModel,
  name: string,
): readonly PropertyModel[] =>
  properties.filter(
    (property) => property.name === name || (embedded !== undefined && property.name.startsWith(`${name}.`)),
  );

/** The member of an entity that holds the value of a property: the property itself, or the object that contains it. */
export const memberNameOf = ({ name, place }: PropertyModel): string =>
  place === undefined ? name : rootOf(place.of).name;

/** The embedded object that the entity contains directly. */
export const rootOf = (of: EmbeddedModel): EmbeddedModel =>
  of.parent === undefined ? of : rootOf(of.parent);

/** The embedded object with this name; undefined if the class has none. */
export const findEmbedded = ({ embedded }: EntityModel, name: string): EmbeddedModel | undefined =>
  embedded?.find((each) => each.name === name);

/** The index with this name; undefined if the class has none. */
export const findIndex = ({ indexes }: EntityModel, name: string | undefined): IndexModel | undefined =>
  indexes.find((index) => index.name === name);

/** Whether rows of a class keep the form of an older version, which another release knows. */
export const keepsOlderForm = ({ version }: EntityModel): boolean => version?.isShared === true;

/**
 * The indexes with rows that are written. Releases that do not know a unique index cannot release its values either.
 */
export const writtenIndexes = ({ indexes }: EntityModel): readonly IndexModel[] =>
  indexes.filter(
    ({ state, isUnique, isUnread, former }) =>
      state !== "retired" && !(isUnique && isUnread && former === undefined),
  );
