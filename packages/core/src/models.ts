// The models of classes, for those who write other ways to declare entities. These names may change in any version.

export { modelOf, registerEntity } from "./model/model-registry.ts";
export type {
  ChildrenDefinition,
  EntityDefinition,
  KeyPartDefinition,
  KindDefinition,
  PropertyDefinition,
} from "./model/entity-definition.ts";
export type {
  DerivedPart,
  EntityModel,
  KeyProperty,
  KindModel,
  PropertyModel,
  TableSettings,
  VersionModel,
} from "./model/entity-model.ts";
