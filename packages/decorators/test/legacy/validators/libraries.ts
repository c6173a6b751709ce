import { type EntityValidator, standardSchema } from "@partita/core";
import type { StandardSchema, TransformOptions } from "@partita/core/models";
import { classValidator } from "@partita/decorators/class-validator";
import { scope, type } from "arktype";
import { registerDecorator } from "class-validator";
import Joi from "joi";
import * as v from "valibot";
import { z } from "zod";
import { Member } from "./member.ts";

/** A library with options of its own, some of which change what they judge. */
export interface Case {
  readonly library: string;
  readonly option: string;
  readonly validator: (options?: TransformOptions) => EntityValidator;
  /** The properties that it changes in the instance which it gets. */
  readonly inPlace?: readonly string[];
  /** What it makes of the stored member, where that is another value: stored with `applyTransforms`. */
  readonly made?: Readonly<Record<string, unknown>>;
}

const schema =
  (of: unknown): Case["validator"] =>
  (options) =>
    standardSchema(Member, of as StandardSchema<Member>, options);

const trimmed = { name: "Ann", address: { city: "Oslo" } };
const filled = { nickname: "none", age: 30 };

/** What validators do that judge and edit: assign, delete, and change nested values. */
function edit(member: Member): Member {
  if (member.name !== undefined) member.name = member.name.trim();
  delete member.internal;
  if (member.address !== undefined) member.address.city = "Rome";
  return member;
}
const edited = { name: "Ann", internal: undefined, address: { city: "Rome" } };
const editedInPlace = ["name", "address", "internal"];

const zText = z.string().min(2).max(20);
const zRules = {
  name: zText,
  age: z.number().min(0).max(120),
  note: zText.optional(),
  address: z.object({ city: zText }).optional(),
};
const zodCases: readonly Omit<Case, "library">[] = [
  { option: "object, which strips what it does not name", validator: schema(z.object(zRules)) },
  { option: "looseObject", validator: schema(z.looseObject(zRules)) },
  {
    option: "coerce",
    validator: schema(z.object({ ...zRules, name: z.coerce.string<string>(), age: z.coerce.number() })),
  },
  {
    option: "trim",
    validator: schema(
      z.object({ ...zRules, name: zText.trim(), address: z.object({ city: zText.trim() }).optional() }),
    ),
    made: trimmed,
  },
  {
    option: "default and catch",
    validator: schema(
      z.object({ ...zRules, nickname: z.string().default("none"), age: z.number().max(30).catch(30) }),
    ),
    made: filled,
  },
  {
    option: "transform in place",
    validator: schema(z.custom<Member>().transform(edit)),
    inPlace: editedInPlace,
    made: edited,
  },
];

const vText = v.pipe(v.string(), v.minLength(2), v.maxLength(20));
const vRules = {
  name: vText,
  age: v.pipe(v.number(), v.minValue(0), v.maxValue(120)),
  note: v.optional(vText),
  address: v.optional(v.object({ city: vText })),
};
const vTrimmed = v.pipe(v.string(), v.trim(), v.minLength(2), v.maxLength(20));
const valibotCases: readonly Omit<Case, "library">[] = [
  { option: "object, which strips what it does not name", validator: schema(v.object(vRules)) },
  { option: "looseObject", validator: schema(v.looseObject(vRules)) },
  {
    option: "trim",
    validator: schema(
      v.object({ ...vRules, name: vTrimmed, address: v.optional(v.object({ city: vTrimmed })) }),
    ),
    made: trimmed,
  },
  {
    option: "default and fallback",
    validator: schema(
      v.object({
        ...vRules,
        nickname: v.optional(v.string(), "none"),
        age: v.fallback(v.pipe(v.number(), v.maxValue(30)), 30),
      }),
    ),
    made: filled,
  },
  {
    option: "transform in place",
    validator: schema(
      v.pipe(
        v.custom<Member>(() => true),
        v.transform(edit),
      ),
    ),
    inPlace: editedInPlace,
    made: edited,
  },
];

const arkRules = {
  name: "2 <= string <= 20",
  age: "0 <= number <= 120",
  "note?": "(2 <= string <= 20) | undefined",
  "address?": type({ city: "2 <= string <= 20" }).or("undefined"),
} as const;
const arkTrimmed = {
  ...arkRules,
  name: "string.trim",
  "address?": type({ city: "string.trim |> 2 <= string <= 20" }).or("undefined"),
} as const;
const inOneCopy = scope({}, { clone: false });
const arktypeCases: readonly Omit<Case, "library">[] = [
  { option: "none", validator: schema(type(arkRules)) },
  { option: 'undeclared keys: "delete"', validator: schema(type({ "+": "delete", ...arkRules })) },
  { option: "trim", validator: schema(type(arkTrimmed)), made: trimmed },
  {
    option: "default",
    validator: schema(type({ ...arkRules, nickname: "(string | undefined) = 'none'" })),
  },
  {
    option: "clone: false",
    validator: schema(
      inOneCopy.type({ ...arkRules, name: "string.trim", nickname: "(string | undefined) = 'none'" }),
    ),
    inPlace: ["name"],
    made: { name: "Ann" },
  },
  {
    option: "morph in place",
    validator: schema(type("object").pipe((member) => edit(member as Member))),
    // It clones the instance that a morph gets, and what its output lacks stays.
    made: { ...edited, internal: "secret" },
  },
];

const jText = Joi.string().min(2).max(20);
const jRules = {
  name: jText.required(),
  age: Joi.number().min(0).max(120).required(),
  note: jText,
  address: Joi.object({ city: jText.required() }),
};
const jTrimmed = { ...jRules, name: jText.trim().required(), address: Joi.object({ city: jText.trim() }) };
const joiCases: readonly Omit<Case, "library">[] = [
  { option: "unknown", validator: schema(Joi.object(jRules).unknown()) },
  { option: "stripUnknown", validator: schema(Joi.object(jRules).prefs({ stripUnknown: true })) },
  { option: "convert: trim", validator: schema(Joi.object(jTrimmed).unknown()), made: trimmed },
  {
    option: "default and failover",
    validator: schema(
      Joi.object({
        ...jRules,
        nickname: Joi.string().default("none"),
        age: Joi.number().max(30).failover(30).required(),
      }).unknown(),
    ),
    made: filled,
  },
  {
    option: "custom in place",
    validator: schema(Joi.any().custom(edit)),
    inPlace: editedInPlace,
    made: edited,
  },
];

const classValidatorCases: readonly Omit<Case, "library">[] = [
  { option: "none", validator: classValidator },
  {
    option: "skipMissingProperties and stopAtFirstError",
    validator: (options) =>
      classValidator({ skipMissingProperties: true, stopAtFirstError: true, ...options }),
  },
  {
    option: "whitelist",
    validator: (options) => classValidator({ whitelist: true, ...options }),
    inPlace: ["internal"],
    made: { internal: undefined },
  },
  {
    option: "a constraint that edits",
    validator(options) {
      const judge = classValidator(options);
      return Object.assign((entity: object) => judge(withEdits(entity)), options);
    },
    inPlace: editedInPlace,
    made: edited,
  },
];

const toBeEdited = new WeakSet();
const withEdits = (entity: object): object => {
  toBeEdited.add(entity);
  return entity;
};
registerDecorator({
  target: Member,
  propertyName: "id",
  validator: {
    validate(_id, context) {
      const member = context?.object as Member;
      if (toBeEdited.has(member)) edit(member);
      return true;
    },
  },
});

const of = (library: string, cases: readonly Omit<Case, "library">[]): Case[] =>
  cases.map((one) => ({ library, ...one }));

export const cases: readonly Case[] = [
  ...of("class-validator", classValidatorCases),
  ...of("zod", zodCases),
  ...of("valibot", valibotCases),
  ...of("arktype", arktypeCases),
  ...of("joi", joiCases),
];

/** Those that judge all rules. */
export const judging: readonly Case[] = cases.filter(({ option }) => !/in place|edits/.test(option));
