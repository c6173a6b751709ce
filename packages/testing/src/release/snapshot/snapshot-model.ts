import { kindsBelow } from "@partita/core/internal";
import {
  type EmbeddedModel,
  type EntityClass,
  type EntityModel,
  type IndexModel,
  type KeyTemplate,
  type KindModel,
  modelOf,
  type PropertyModel,
} from "@partita/core/models";
import type {
  ClassSnapshot,
  EmbeddedSnapshot,
  IndexSnapshot,
  KeySnapshot,
  KindSnapshot,
  ModelSnapshot,
  PropertySnapshot,
} from "./model-snapshot.ts";
import { typeSnapshot } from "./type-snapshot.ts";
import { versionSnapshot } from "./version-snapshot.ts";

/**
 * Returns a model as plain data that can be compared without its code.
 * `JSON.stringify(snapshotModel([Blog, Comment]), undefined, 2)` gives the same text for the same model, so you can
 * commit one for each release.
 *
 * ```ts
 * const stored = JSON.stringify(snapshotModel([OldNote]));
 * const changes = compareModels(JSON.parse(stored), snapshotModel([Note]));
 * ```
 *
 * @param classes - the entity classes of a release
 * @throws ModelError for a class with an invalid declaration
 */
export function snapshotModel(classes: readonly EntityClass[]): ModelSnapshot {
  const all = [...new Set(classes)].map(modelOf).map(classSnapshot);
  return { format: 1, classes: all.toSorted((a, b) => inOrder(idOf(a), idOf(b))) };
}

const idOf = ({ table, kind, name }: ClassSnapshot): string => `${table}\n${kind?.name ?? ""}\n${name}`;

const inOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Members without a value are left out. */
function classSnapshot(model: EntityModel): ClassSnapshot {
  const { name, table, kind, version, properties, embedded, indexes, children, options } = model;
  const { kindProperty, versionProperty, unknownKind, proof, outbox, indexStates, scopedBy, unscoped } =
    options;
  return {
    name,
    table,
    isBase: kindsBelow(model.entityClass).size > 0,
    ...(kind !== undefined && { kind: kindSnapshot(kind) }),
    ...(version !== undefined && { version: versionSnapshot(version) }),
    partitionKey: keySnapshot(model.partitionKey),
    rowKey: keySnapshot(model.rowKey),
    properties: properties.map(propertySnapshot).toSorted((a, b) => inOrder(a.storedAs, b.storedAs)),
    ...(embedded !== undefined && { embedded: embedded.map(embeddedSnapshot) }),
    ...(indexes.length > 0 && {
      indexes: indexes.map(indexSnapshot).toSorted((a, b) => inOrder(a.name, b.name)),
    }),
    ...(children.length > 0 && {
      lists: children.map(({ property, of, isOwned }) => ({
        property,
        of: modelOf(of()).name,
        isOwned: isOwned === true,
      })),
    }),
    settings: {
      kindProperty,
      versionProperty,
      unknownKind,
      proof,
      outbox,
      indexStates,
      ...(scopedBy !== undefined && { scopedBy }),
      ...(unscoped !== undefined && { unscoped }),
    },
  };
}

const kindSnapshot = ({ name, names, storedName, isStored, key }: KindModel): KindSnapshot => ({
  name,
  formerly: names.filter((each) => each !== name),
  storedAs: isStored ? storedName : null,
  ...(key !== undefined && { key }),
});

const keySnapshot = ({ separator, parts }: KeyTemplate): KeySnapshot => ({
  separator,
  parts: parts.map(({ property, format: { format, literal } }) => ({
    ...(property !== undefined && { property }),
    format,
    ...(literal !== undefined && { literal }),
  })),
});

function propertySnapshot({
  storedName: storedAs,
  name,
  serializer,
  presence,
  hasInitial,
  isStoredAsOther,
  isHidden,
  place,
}: PropertyModel): PropertySnapshot {
  const optional = place && optionalObject(place.of);
  return {
    storedAs,
    name,
    ...typeSnapshot(serializer, presence),
    ...(presence !== "default" && hasInitial() && { hasInitial: true as const }),
    ...(optional !== undefined && { within: optional.name }),
    ...(isStoredAsOther && { alsoReads: true as const }),
    ...(isHidden && { isHidden: true as const }),
  };
}

/** The innermost object around a leaf that rows may lack. */
const optionalObject = (of: EmbeddedModel): EmbeddedModel | undefined =>
  of.isRequired ? of.parent && optionalObject(of.parent) : of;

const embeddedSnapshot = ({
  name,
  storedName: storedAs,
  isRequired,
  leaves,
}: EmbeddedModel): EmbeddedSnapshot => ({
  name,
  storedAs,
  isRequired,
  leaves: leaves.map(({ storedName }) => storedName),
});

const indexSnapshot = (index: IndexModel): IndexSnapshot => {
  const { name, definition, isUnique, isUnread, copy, state } = index;
  return {
    name,
    definition,
    isUnique,
    copy,
    ...(isUnread && { isUnread }),
    ...(state !== undefined && { state }),
  };
};
