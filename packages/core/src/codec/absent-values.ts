import type { StoredEntity } from "../edm/stored-entity.ts";
import { SerializationError } from "../errors/serialization-error.ts";
import { warnOnce } from "../errors/warn-once.ts";
import type { EntityModel, PropertyModel } from "../model/entity-model.ts";
import { ageOf } from "./current-row.ts";
import { subjectOf } from "./encode-entity.ts";

/**
 * What is done about a required property that a row has no value for, which then reads as undefined against its type:
 * an error where reads are strict, else a warning once a class.
 *
 * @throws SerializationError `property.absent`
 */
export function reportAbsent(
  model: EntityModel,
  row: StoredEntity,
  { name, storedName, path }: PropertyModel,
  isStrict: boolean,
): void {
  const isRefused = model.options.strictReads ?? isStrict;
  const message = (): string => {
    const stored = storedName === name ? "" : ` (stored as "${storedName}")`;
    return `${subjectOf(model, { partitionKey: row.PartitionKey, rowKey: row.RowKey })} has no stored value of ${name}${stored}, which is required: it was renamed, or added without an upgrade, or another program wrote the row.`;
  };
  if (isRefused) throw SerializationError.absent(path, message());
  // A newer program may have renamed or removed it: that is what versions are for.
  if (ageOf(model, row) === "newer") return;
  warnOnce(
    model,
    "PARTITA_ABSENT_VALUE",
    () =>
      `${message()} It reads as undefined, against its type. Declare it optional or with a default, or add an upgrade; strictReads: true makes such rows an error.`,
  );
}
