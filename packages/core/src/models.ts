// What ways to declare entities are made of: property types, key formats, and the models of classes. Those who write
// decorators or a schema language of their own import this entry alone. The models' names may change in any version.

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
export { indexDefinition } from "./model/declaration/define-entity.ts";
export {
  type IndexDeclaration,
  indexNames,
  type IndexNamesOf,
  keyParts,
  type KeyPartType,
  type ValueOf,
} from "./model/declaration/entity-shape.ts";
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
export { ModelError } from "./values/errors/model-error.ts";
