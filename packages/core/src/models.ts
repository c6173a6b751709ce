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
  KeyPartDefinition,
  KindDefinition,
  PropertyDefinition,
} from "./model/declaration/entity-definition.ts";
export type {
  DerivedPart,
  EntityModel,
  IndexModel,
  KeyProperty,
  KindModel,
  PropertyModel,
  TableSettings,
  VersionModel,
} from "./model/declaration/entity-model.ts";
export type { Children } from "./model/declaration/children.ts";
export type { EntityClass, TableOptions } from "./model/declaration/entity-definition.ts";
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
  type EntityShape,
  type IndexDeclaration,
  indexNames,
  type IndexNamesOf,
  type InitOf,
  type InitOfClass,
  type InstanceOf,
  keyParts,
  type KeyNames,
  type KeyOf,
  type KeyOfClass,
  type KeyPartsOf,
  type KeyPartType,
  type ValueOf,
} from "./model/declaration/entity-shape.ts";
export { fromPlain, type JsonValue, type PlainEntity, toPlain } from "./model/codec/plain-entity.ts";
export {
  type AnyPropertyType,
  binary,
  bool,
  convert,
  dateTime,
  double,
  enumOf,
  guid,
  type GuidType,
  int32,
  int64,
  json,
  type Presence,
  type PropertyType,
  text,
} from "./model/declaration/property-type.ts";
export type { Converter } from "./values/edm/convert.ts";
export type { EdmType } from "./values/edm/stored-entity.ts";
export { Ticks } from "./values/edm/ticks.ts";
export { KeyError } from "./values/errors/key-error.ts";
export { ModelError } from "./values/errors/model-error.ts";
export { SerializationError } from "./values/errors/serialization-error.ts";
