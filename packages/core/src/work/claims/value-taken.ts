import type { IndexModel } from "../../model/declaration/entity-model.ts";
import { KeyError } from "../../values/errors/key-error.ts";
import { UniqueValueTaken } from "../../values/errors/unique-value-taken.ts";
import type { UniqueValue } from "./holds-value.ts";

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

/** A row of another program has the key of a reservation. It is not overwritten. */
export const foreignRow = ({ index, model }: Pick<UniqueValue, "index" | "model">): KeyError =>
  new KeyError(
    "key.reserved",
    `A value of the index ${index.name} of ${model.name} can't be reserved: another program has stored a row in one of the partitions of the table ${model.table} that begin with "~u~". Delete that row, or give it another PartitionKey.`,
    { entity: model.name, key: "PartitionKey" },
  );

/** The properties that an index keeps unique. */
const propertiesOf = ({ rowKey }: IndexModel): readonly string[] =>
  rowKey.parts.flatMap(({ property, format }) =>
    property === undefined || format.literal !== undefined ? [] : [property],
  );
