// Checks a client's data against a class, and collects all issues.

import { keyOfEntity, withoutLinks } from "@partita/core/internal";
import { type EntityModel, fromPlain, TableError } from "@partita/core/models";
import type { Issue, SchemaResult } from "./standard-schema.ts";
import type { JsonSchema } from "./described-names.ts";
import { kindsOf, memberOf, type Subject, type UsedName, usedNames } from "./uses.ts";

type Path = readonly (string | number)[];
type Values = Readonly<Record<string, unknown>>;

/** A new entity with the data, or every issue. */
export function createFrom(subject: Subject, data: unknown): SchemaResult<object> {
  const issues = issuesOf(subject, data, []);
  if (issues.length > 0) return { issues };
  try {
    const entity = fromPlain(subject.model.entityClass, data as Values);
    const ofKeys = keyIssues(
      { ...subject, model: kindIn(subject, data as Values) ?? subject.model },
      entity,
      [],
    );
    return ofKeys.length > 0 ? { issues: ofKeys } : { value: entity };
  } catch (error) {
    return { issues: [issueOf(error, [])] };
  }
}

/** The data itself, or every issue. */
export function checkPatch(subject: Subject, data: unknown): SchemaResult<object> {
  const issues = issuesOf(subject, data, []);
  return issues.length > 0 ? { issues } : { value: data as object };
}

function issuesOf(subject: Subject, data: unknown, path: Path): Issue[] {
  const { model } = subject;
  if (!isObject(data)) return [{ message: `${model.name} takes an object of its properties.`, path }];
  const chosen = kindIn(subject, data);
  const { kindProperty } = model.options;
  if (chosen === undefined) {
    const message = `${model.name} takes the name of one of its kinds as ${kindProperty}.`;
    return [{ message, path: [...path, kindProperty] }];
  }
  const own = { ...subject, model: chosen };
  return namedIssues(own, usedNames(own), data, path, isChoice(subject) ? kindProperty : undefined);
}

/** The issues of an entity's values, or of those of an embedded object. */
function namedIssues(
  subject: Subject,
  names: readonly UsedName[],
  values: Values,
  path: Path,
  kindProperty?: string,
): Issue[] {
  const known = new Set([kindProperty, ...names.map(({ name }) => name)]);
  return [
    ...Object.keys(values)
      .filter((name) => values[name] !== undefined && !known.has(name))
      .map((name) => notSet(subject.model, name, path)),
    ...names.flatMap((each) => valueIssues(subject, each, valueOf(values, each.name), [...path, each.name])),
  ];
}

const isObject = (data: unknown): data is Values =>
  typeof data === "object" && data !== null && !Array.isArray(data);

const valueOf = (values: Values, name: string): unknown =>
  Object.hasOwn(values, name) ? values[name] : undefined;

/** The class of the data. If there are several kinds, the data contains the name of its kind. */
function kindIn(subject: Subject, values: Values): EntityModel | undefined {
  if (!isChoice(subject)) return subject.model;
  const name = values[subject.model.options.kindProperty];
  return kindsOf(subject).find(({ kind }) => kind?.name === name);
}

const isChoice = (subject: Subject): boolean => {
  const [first, ...others] = kindsOf(subject);
  return others.length > 0 || first !== subject.model;
};

function valueIssues(subject: Subject, used: UsedName, value: unknown, path: Path): Issue[] {
  const { model, use } = subject;
  const { members, inner, read, isRequired, isClearable } = used;
  const refused = (problem: string): Issue[] => [{ message: `${nameAt(model, path)} ${problem}.`, path }];
  if (value === undefined) return isRequired ? refused("is missing") : [];
  if (value === null && use === "patch" && isClearable) return [];
  if (members !== undefined) {
    if (!Array.isArray(value)) return refused("takes a list");
    return value.flatMap((each: unknown, i) => issuesOf(memberOf(subject, members), each, [...path, i]));
  }
  if (inner !== undefined)
    return isObject(value) ? namedIssues(subject, inner, value, path) : refused("takes an object");
  try {
    read?.(value);
  } catch (error) {
    return [issueOf(error, path)];
  }
  return hasForm(used.schema, value) ? [] : refused("has another form than its JSON Schema describes");
}

/**
 * Whether a value has the type and form of its schema. `fromPlain` accepts more, such as a number as text.
 */
function hasForm({ type, pattern, enum: listed, anyOf }: JsonSchema, value: unknown): boolean {
  if (anyOf !== undefined) return (anyOf as readonly JsonSchema[]).some((each) => hasForm(each, value));
  if (listed !== undefined) return (listed as readonly unknown[]).includes(value);
  if (pattern !== undefined && !new RegExp(pattern as string).test(value as string)) return false;
  return type === undefined || typeof value === (type === "integer" ? "number" : type);
}

/** A property for messages: `Order.address.city`. */
const nameAt = ({ name }: EntityModel, path: Path): string =>
  [name, ...path.slice(path.findLastIndex((step) => typeof step === "number") + 1)].join(".");

/** The issues with the keys of a new entity and its members, such as characters that keys may not have. */
function keyIssues(subject: Subject, entity: object, path: Path): Issue[] {
  const { model } = subject;
  const values = entity as Values;
  const names = usedNames(subject);
  const lists = names.flatMap(({ name, members }) => (members === undefined ? [] : [{ name, members }]));
  const isOwn = (name: string): boolean => names.some((each) => each.name === name);
  return [
    ...keyIssue(model, values, isOwn, path),
    ...lists.flatMap(({ name, members }) =>
      ((values[name] ?? []) as object[]).flatMap((member, i) => {
        const list = memberOf(subject, members);
        const kind = kindsOf(list).find(({ entityClass }) => member.constructor === entityClass);
        return keyIssues({ ...list, model: kind ?? members }, member, [...path, name, i]);
      }),
    ),
  ];
}

/** Parts that the data may not set are set by the program later. */
function keyIssue(model: EntityModel, values: Values, isOwn: (name: string) => boolean, path: Path): Issue[] {
  const isAbsent = ({ name }: { readonly name: string }): boolean => values[name] === undefined;
  if (model.keyProperties.some((part) => isAbsent(part) && !isOwn(part.name))) return [];
  try {
    keyOfEntity(model, values);
    return [];
  } catch (error) {
    const { property } = (TableError.is(error) ? error.details : {}) as { readonly property?: string };
    return [issueOf(error, property === undefined ? path : [...path, property])];
  }
}

const notSet = (model: EntityModel, name: string, path: Path): Issue => ({
  message: `${model.name} has no ${JSON.stringify(name.slice(0, 80))} that this data may set.`,
  path: [...path, name],
});

/** An error of a value as an issue. Errors of the program are thrown. */
function issueOf(error: unknown, path: Path): Issue {
  const isOfData = TableError.is(error) && /^(?:plain|property|edm|key)\./.test(error.code);
  if (!isOfData) throw error;
  return { message: withoutLinks(error.message), path };
}
