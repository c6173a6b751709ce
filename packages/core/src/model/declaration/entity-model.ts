import type { Serializer } from "../../values/edm/serializer.ts";
import type { StoredEntity, StoredValue } from "../../values/edm/stored-entity.ts";
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

/** One stored property of a model: a codec ready to run. */
export interface PropertyModel {
  /** The property of the class. */
  readonly name: string;
  /** The property of the stored entity. */
  readonly storedName: string;
  /** Where the stored entity has its EDM type. */
  readonly annotationName: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- checked where the property was declared
  readonly serializer: Serializer<any>;
  /** A property that is filled in new entities is required or optional in rows. */
  readonly presence: Exclude<Presence, "filled">;
  /** Makes the value of a new entity that was given none; undefined without a default function. */
  readonly fill: (() => unknown) | undefined;
  /** Makes the value that a save writes; undefined if the program alone does. */
  readonly onSave: SaveFill<unknown> | undefined;
  /** Makes what an instance begins with that was built without its initial values; undefined where it begins without a value. */
  readonly initial: (() => unknown) | undefined;
  /** Whether new instances begin with a value, which is what a row without one reads as. */
  readonly hasInitial: () => boolean;
  /** What a row without a value reads as, in stored form; undefined where it is not the same for every instance. */
  readonly defaultStored: () => StoredValue | undefined;
  /** What the codec made of the last value that a row lacked: nearly all entities of a class begin alike. */
  readonly lastInitial: { made?: object };
  /** Whether plain data leaves the property out. */
  readonly isHidden: boolean;
  /** Whether stored values may have other EDM types, so that a filter of the service cannot speak for them. */
  readonly isStoredAsOther: boolean;
  /** Bytes that the service counts for the property beside its value. */
  readonly overheadBytes: number;
  readonly path: PropertyPath;
  /** Where its value is, if it is a leaf of an embedded object: its name is a path then, such as `address.city`. */
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
  /** What the stored names of its leaves begin with. */
  readonly storedName: string;
  /** Its name in the object that holds it. */
  readonly member: string;
  readonly declaration: EmbeddedDeclaration;
  /** The object that holds it; undefined for one that the entity itself holds. */
  readonly parent: EmbeddedModel | undefined;
  readonly isRequired: boolean;
  readonly leaves: readonly PropertyModel[];
  /** The objects that it holds. */
  readonly parts: readonly EmbeddedModel[];
  /** The column that shows an object without any value; undefined where a required leaf shows it. */
  readonly marker: PropertyModel | undefined;
}

/** Where a property sits in a key. */
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

/** A part of a key with a format that makes values. */
export interface GeneratedPart {
  readonly name: string;
  readonly generate: () => unknown;
}

/** A table's settings with what holds where nothing was said; separators are in the key templates. */
export type TableSettings = Required<Omit<TableOptions, "separator" | ContextualOption>> &
  Pick<TableOptions, ContextualOption>;

/** Settings that have no default of the table's own. */
type ContextualOption = "undeclared" | "scopedBy" | "unscoped" | "formerKeys";

/**
 * The stored property of every row that is not an entity: an index row, a marker, a message of an outbox. Its value says which.
 * No reader takes a row that has it for an entity, even if its class knows nothing of the index or the outbox.
 */
export const rowProperty = "_row";

/** The value of that property in the rows of an index. */
export const indexRowType = (index: string): string => `index:${index}`;

/** The beginning of the RowKey of every marker, in tables with `proof: "marker"`; '~' is after all letters and digits. */
export const markerPrefix = "~w~";

/** The beginning of the RowKey of every message in an outbox, in tables with `outbox: true`. */
export const outboxPrefix = "~o~";

/** A class's place among several in one table. */
export interface KindModel {
  readonly name: string;
  /** Where rows have it; nothing is stored there unless `isStored`. */
  readonly storedName: string;
  readonly isStored: boolean;
  readonly key: "prefix" | "suffix" | undefined;
  /** Its present name and those it had before. */
  readonly names: readonly string[];
  /** Whether a row is of this kind, where no property shows it. */
  readonly isOfKind: ((row: StoredEntity) => boolean) | undefined;
}

/** The version a class writes. */
export interface VersionModel {
  readonly number: number;
  readonly storedName: string;
  /** The oldest version that other releases may still know: rows keep its form. The class's own number where there are none. */
  readonly lowest: number;
  /** Whether that is an older version than the class's own. */
  readonly isShared: boolean;
  /** How rows of older versions become present ones; undefined where they are read as they are. */
  readonly chain: UpgradeChain | undefined;
}

/**
 * A secondary index: the entity stored once more in its partition, under another RowKey. Rows of an index are companions of
 * the entity's own row and no entities themselves; each is a function of that row.
 */
export interface IndexModel {
  readonly name: string;
  readonly isUnique: boolean;
  readonly copy: IndexCopy;
  /** As the class declares it: always in tables with `indexStates: "declared"`, else only for a retired one. */
  readonly state: IndexState | undefined;
  /** The index as text: one that is declared in another way is another index. */
  readonly definition: string;
  /** Text that the RowKeys of its rows begin with, and no others. */
  readonly prefix: string;
  /** Whether no query of this release reads it, since older releases that are supported do not write it, or it is theirs alone. */
  readonly isUnread: boolean;
  /** The class of an older release that declares it, if this one does not. */
  readonly former: EntityModel | undefined;
  /** The declared parts and, where they do not hold all of it, the entity's RowKey as the last part; not of unique ones. */
  readonly rowKey: KeyTemplate;
  /** Whether the declared parts hold all of the entity's RowKey. */
  readonly holdsRowKey: boolean;
  /**
   * The class as its rows have it: RowKeys with every part of the entity's behind the declared ones, a kind of its own, and
   * the copied properties. Queries over the index are planned by it.
   */
  readonly rows: EntityModel;
  /** The copied properties, by their places in the class's own model. */
  readonly copied: readonly number[];
  /** Stored properties that its keys are made of, by their places in the class's own model. */
  readonly sources: readonly number[];
}

/** What is known of an entity class: plain, frozen data that everything else reads. */
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
  /** The properties that make up the keys; they are not stored a second time. */
  readonly keyProperties: readonly KeyProperty[];
  readonly derivedParts: readonly DerivedPart[];
  /** The key parts that are generated for new entities without a value. */
  readonly generated: readonly GeneratedPart[];
  /** Whether the text of each key is the value of its property. */
  readonly hasVerbatimKeys: boolean;
  readonly properties: readonly PropertyModel[];
  /** The objects inside its entities, the outermost ones; undefined where there are none. */
  readonly embedded: readonly EmbeddedModel[] | undefined;
  /** The properties with default functions, in the order of declaration. */
  readonly filled: readonly PropertyModel[];
  /** The properties that saves fill; undefined without any. */
  readonly savedFills: readonly PropertyModel[] | undefined;
  /**
   * A stored entity with every member this class writes, unset: images are copies of it, so that all have one hidden
   * class. Objects that grow member by member under computed names become slow dictionaries.
   */
  readonly emptyImage: StoredEntity;
  /** A member for each property, unset: snapshots are copies of it, of the right length from the start. */
  readonly noValues: readonly undefined[];
  readonly indexes: readonly IndexModel[];
  /** What no RowKey of an entity may begin with: the rows of its indexes do. */
  readonly reservedPrefixes: readonly string[];
  /** The index whose rows this model is of; undefined for a class's own. */
  readonly index?: string;
  /** Properties that hold children of another class. */
  readonly children: readonly ChildrenDefinition[];
  /** Properties of the class that are not stored, as it says itself. */
  readonly notStored: readonly string[];
  readonly etagProperty: string | undefined;
  readonly timestampProperty: string | undefined;
  /** Builds a new instance, with its initial values. */
  readonly create: () => object;
  /** Builds an instance to receive stored values. */
  readonly createBlank: () => object;
}

/** The property of this name, in the key or stored; undefined when the model has none. */
export function findProperty(model: EntityModel, name: string): PropertyModel | KeyProperty | undefined {
  return model.properties.find((p) => p.name === name) ?? model.keyProperties.find((p) => p.name === name);
}

/** Every property the model declares, keys first; embedded objects by their own names. */
export const propertyNames = ({
  keyProperties,
  properties,
  embedded = [],
}: EntityModel): readonly string[] => [
  ...keyProperties.map((p) => p.name),
  ...properties.flatMap(({ name, place }) => (place === undefined ? [name] : [])),
  ...embedded.map(({ name }) => name),
];

/** The stored properties that a name of the class means: one, or the leaves of an embedded object. */
export const propertiesNamed = (
  { properties, embedded }: EntityModel,
  name: string,
): readonly PropertyModel[] =>
  properties.filter(
    (property) => property.name === name || (embedded !== undefined && property.name.startsWith(`${name}.`)),
  );

/** The member of an entity that has the value of a property: the property itself, or the object that holds it. */
export const memberNameOf = ({ name, place }: PropertyModel): string =>
  place === undefined ? name : rootOf(place.of).name;

/** The embedded object that the entity itself holds. */
export const rootOf = (of: EmbeddedModel): EmbeddedModel =>
  of.parent === undefined ? of : rootOf(of.parent);

/** The embedded object of this name; undefined where the class has none. */
export const findEmbedded = ({ embedded }: EntityModel, name: string): EmbeddedModel | undefined =>
  embedded?.find((each) => each.name === name);

/** The index of this name; undefined when the class has none. */
export const findIndex = ({ indexes }: EntityModel, name: string | undefined): IndexModel | undefined =>
  indexes.find((index) => index.name === name);

/** Whether rows of a class keep the form of an older version, which another release knows. */
export const keepsOlderForm = ({ version }: EntityModel): boolean => version?.isShared === true;

/** The indexes whose rows are written. Releases that do not know a unique value cannot give it up either. */
export const writtenIndexes = ({ indexes }: EntityModel): readonly IndexModel[] =>
  indexes.filter(
    ({ state, isUnique, isUnread, former }) =>
      state !== "retired" && !(isUnique && isUnread && former === undefined),
  );
