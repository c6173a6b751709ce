// Models without a storage: property types, key formats, `defineEntity`, and entities as plain data. Nothing here needs Node, so
// browsers can share classes with a server. Those who write decorators or a schema language of their own find the models of
// classes here as well; the models' names may change in any version.

export * from "./keys.ts";
export { composeKey } from "./values/keys/key-template.ts";
export { modelOf, registerEntity } from "./model/declaration/model-registry.ts";
export type {
  ChildrenDefinition,
  EntityDefinition,
  IndexCopy,
  IndexDefinition,
  IndexState,
  UniqueOver,
  KeyPartDefinition,
  KindDefinition,
  PropertyDefinition,
} from "./model/declaration/entity-definition.ts";
export type {
  DerivedPart,
  EmbeddedModel,
  EmbeddedPlace,
  EntityModel,
  IndexModel,
  KeyProperty,
  KindModel,
  PropertyModel,
  TableSettings,
  VersionModel,
} from "./model/declaration/entity-model.ts";
export type { Jsonable } from "./model/declaration/jsonable.ts";
export { settingNames } from "./model/declaration/settings.ts";
export { type Children, type IsChildren, owned, type OwnedClass } from "./model/declaration/children.ts";
export type { AnInstance, EntityClass, TableOptions } from "./model/declaration/entity-definition.ts";
export {
  defineEntity,
  defineKind,
  type EntityDeclaration,
  indexDefinition,
  type KindDeclaration,
} from "./model/declaration/define-entity.ts";
export {
  type DataOf,
  type DefinedEntity,
  type DefinedKind,
  type Embedded,
  type EntityShape,
  type GeneratedKey,
  type ScopedKey,
  type IndexDeclaration,
  indexNames,
  type IndexNamesOf,
  type InstanceOf,
  type Key,
  type KeyNames,
  type KeyOf,
  type KeyPartsOf,
  type KeyPartType,
  type NewOf,
  type ValueOf,
} from "./model/declaration/entity-shape.ts";
export { fromPlain, type PlainOptions, toPlain } from "./model/codec/plain-entity.ts";
export type { JsonValue, PartialPlain, Plain, PlainEntity } from "./model/declaration/plain-types.ts";
export {
  type AnyPropertyType,
  binary,
  bool,
  convert,
  createdAt,
  dateTime,
  double,
  type EmbeddedDeclaration,
  enumOf,
  guid,
  type GuidPropertyType,
  type GuidType,
  int32,
  int64,
  json,
  type PlainForm,
  type Compared,
  type ComparedAs,
  type Presence,
  type TypedConverter,
  type PropertyType,
  type SimpleType,
  type SaveClock,
  type SaveFill,
  text,
  updatedAt,
} from "./model/declaration/property-type.ts";
export {
  embedded,
  embeddedAs,
  type EmbeddedLeaves,
  type EmbeddedType,
  type LeafValues,
} from "./model/declaration/embedded.ts";
export { decimal, instant, plainDate } from "./model/declaration/ordered-types.ts";
export type { DecimalClass } from "./values/edm/decimal.ts";
export type { Converter, StoredConverter } from "./values/edm/convert.ts";
export type { EdmType } from "./values/edm/stored-entity.ts";
export { Ticks } from "./values/edm/ticks.ts";
export { KeyError } from "./values/errors/key-error.ts";
export { ModelError } from "./values/errors/model-error.ts";
export { type PropertyPath, SerializationError } from "./values/errors/serialization-error.ts";
export { type ErrorDetails, TableError } from "./values/errors/table-error.ts";

export type { DeclaredPatterns, UnknownPatternPolicy } from "./work/context/unknown-patterns.ts";
export type { UnreadableRowPolicy } from "./model/codec/unreadable-row.ts";
export type { SchemaInput, SchemaIssue, SchemaResult, StandardSchema } from "./work/save/standard-schema.ts";
export type { TransformOptions } from "./work/save/validator.ts";
export type {
  Column,
  Columns,
  EqualityColumn,
  EqualTo,
  NotComparable,
  OrderedColumn,
  TextColumn,
} from "./query/build/columns.ts";
export type { ExplainedMerge, ExplainedRequest } from "./query/plan/explain.ts";
export type { ODataTag, ODataValue, RawFilter } from "./query/build/odata.ts";
export type { NotAPredicate, PredicateResult } from "./query/build/predicate.ts";
export type { QueryType, Rating } from "./query/plan/query-plan.ts";
export type { BulkProgress } from "./query/options/bulk-options.ts";
export type { OrphanPolicy, Relations } from "./query/options/include-options.ts";
export type { Projected } from "./query/build/projection.ts";
export type { ChildrenOf } from "./model/declaration/children.ts";
export type { IndexStatesSource, UnknownKindPolicy } from "./model/declaration/entity-definition.ts";
export type { UndeclaredPolicy } from "./model/declaration/undeclared-policy.ts";
export type { KeyPattern } from "./values/keys/key-format.ts";
export type { EdmForms } from "./values/edm/edm-forms.ts";
export type { SnapshotValue, Serializer } from "./values/edm/serializer.ts";
export type { EntityChanges } from "./work/context/entity-changes.ts";
export type { EntityViolation } from "./work/save/save-error.ts";
export type { KeyOfShape, NewOfShape } from "./model/declaration/entity-shape.ts";
