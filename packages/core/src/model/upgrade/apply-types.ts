import type { ModelError } from "../../values/errors/model-error.ts";
import type {
  AddStep,
  JoinStep,
  RemoveStep,
  RenameStep,
  RetypeStep,
  ShapeValues,
  SplitStep,
  TypeValue,
} from "./step.ts";

type Show<T> = { [K in keyof T]: T[K] } & {};
type Missing<
  Op extends string,
  Name extends string,
> = ModelError<`${Op}: there is no property ${Name} in this version`>;
type Taken<
  Op extends string,
  Name extends string,
> = ModelError<`${Op}: ${Name} exists already in this version`>;

/** The shape after one step; a sentence where the step does not fit. */
type AfterStep<S, Step> =
  Step extends RenameStep<infer From, infer To>
    ? From extends keyof S
      ? To extends keyof S
        ? Taken<"rename", To>
        : Show<{ [K in keyof S as K extends From ? To : K]: S[K] }>
      : Missing<"rename", From>
    : Step extends AddStep<infer Name, infer Type>
      ? Name extends keyof S
        ? Taken<"add", Name>
        : Show<S & { readonly [K in Name]: Type }>
      : Step extends RemoveStep<infer Name>
        ? Name extends keyof S
          ? Show<Omit<S, Name>>
          : Missing<"remove", Name>
        : Step extends RetypeStep<infer From, infer To, infer Value, infer Type>
          ? AfterConversion<S, "retype", From, Value, { readonly [K in To]: Type }>
          : Step extends SplitStep<infer From, infer Into, infer Value>
            ? AfterConversion<S, "split", From, Value, Into>
            : Step extends JoinStep<infer From, infer To, infer Values, infer Type>
              ? AfterJoin<S, From, Values, { readonly [K in To]: Type }>
              : never;

type AfterConversion<S, Op extends string, From extends string, Value, Made> = From extends keyof S
  ? keyof Made & keyof S extends never
    ? TypeValue<S[From]> extends Value
      ? Show<Omit<S, From> & Made>
      : ModelError<`${Op}: ${From} has another type in this version`>
    : Taken<Op, keyof Made & keyof S & string>
  : Missing<Op, From>;

type AfterJoin<S, From extends readonly string[], Values, Made> = From[number] extends keyof S
  ? keyof Made & keyof S extends never
    ? ShapeValues<Pick<S, From[number]>> extends Values
      ? Show<Omit<S, From[number]> & Made>
      : ModelError<"join: a property has another type in this version">
    : Taken<"join", keyof Made & keyof S & string>
  : Missing<"join", Exclude<From[number], keyof S>>;

/** The shape after all steps; the sentence of the first that does not fit. */
export type AfterSteps<S, Steps extends readonly unknown[]> = Steps extends readonly [
  infer Step,
  ...infer Rest,
]
  ? AfterStep<S, Step> extends ModelError<infer Message>
    ? ModelError<Message>
    : AfterSteps<AfterStep<S, Step>, Rest>
  : S;

/** The steps themselves; the first that does not fit replaced by its sentence. */
export type CheckedSteps<S, Steps extends readonly unknown[]> = Steps extends readonly [
  infer Step,
  ...infer Rest,
]
  ? AfterStep<S, Step> extends infer Next
    ? // Written anew, so that the compiler prints the sentence and not the name of a type.
      Next extends ModelError<infer Sentence>
      ? readonly [ModelError<Sentence>, ...Rest]
      : readonly [Step, ...CheckedSteps<Next, Rest>]
    : never
  : readonly [];

type Count<N extends number, Counted extends 0[] = []> = Counted["length"] extends N
  ? Counted
  : Count<N, [...Counted, 0]>;
/** The number that follows. */
export type Succ<N extends number> = [...Count<N>, 0]["length"] & number;
