import type { IndexModel } from "../../model/declaration/entity-model.ts";
import { UniqueValueTaken } from "../../values/errors/unique-value-taken.ts";

/** A change of a transaction, and the unique index that refuses it. */
interface RefusedValue {
  readonly index: IndexModel;
  readonly at: number;
}

/** Another entity holds the value. */
export const valueTaken = ({ index, at }: RefusedValue, cause?: unknown): UniqueValueTaken =>
  new UniqueValueTaken(index, propertiesOf(index), at, "unique", cause);

/** Other programs reserve the value again and again, but none of their entities holds it. */
export const valueBusy = ({ index, at }: RefusedValue): UniqueValueTaken =>
  new UniqueValueTaken(index, propertiesOf(index), at, "busy", undefined);

/** The properties that an index keeps unique. */
const propertiesOf = ({ rowKey }: IndexModel): readonly string[] =>
  rowKey.parts.flatMap(({ property, format }) =>
    property === undefined || format.literal !== undefined ? [] : [property],
  );
