import type { EntityClass, KindDefinition, TableOptions } from "@partita/core";
import { declareClass } from "./declare.ts";

/** A class decorator under both dialects, for concrete and abstract classes. */
export type EntityDecorator = <Class extends EntityClass>(
  target: Class,
  context?: ClassDecoratorContext<Class>,
) => void;

/** Settings of a table and of the class that names it. */
export interface TableDecoratorOptions extends TableOptions {
  /** Builds an empty instance, where the constructor needs arguments. */
  readonly create?: () => object;
}

/** Names the table of an entity, or of the abstract base of its kinds. */
export const Table =
  (name: string, options: TableDecoratorOptions = {}): EntityDecorator =>
  (target, context) =>
    declareClass(target, context, (declarations) => {
      const { create, ...tableOptions } = options;
      declarations.table = name;
      declarations.tableOptions = tableOptions;
      if (create !== undefined) declarations.create = create;
    });

/** How a kind appears beside its property, and how its rows are told where there is none. */
export type KindOptions = Omit<KindDefinition, "name">;

/** Names one of several classes that share a table; the name is stored with each row. */
export const Kind =
  (name: string, options: KindOptions = {}): EntityDecorator =>
  (target, context) =>
    declareClass(target, context, (declarations) => {
      declarations.kind = { name, ...options };
    });

/** The schema version this class writes: an integer, 1 or more. */
export const Version =
  (version: number): EntityDecorator =>
  (target, context) =>
    declareClass(target, context, (declarations) => {
      declarations.version = version;
    });
