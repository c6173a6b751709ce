import { defineEntity, type EntityClass } from "@partita/core";
import type { AnyPropertyType } from "@partita/core/models";
import type { StoredEntity } from "@partita/core/storage";
import type { AnyKeyFormat } from "@partita/core/keys";
import type { ClassGuess, KeyBeginning, NamedKey } from "./class-guess.ts";

/** The class that the generated code would declare, for reading rows. */
export function buildClass(guess: ClassGuess): EntityClass {
  const declaration = {
    table: guess.table,
    ...settingsOf(guess),
    partitionKey: formatsOf(guess.partitionKey),
    rowKey: formatsOf(guess.rowKey),
    properties: Object.fromEntries(
      guess.properties.map(({ property, storedName, type, isOptional }): [string, AnyPropertyType] => {
        const stored = type.named(storedName) as AnyPropertyType;
        return [property, isOptional ? (stored.optional() as AnyPropertyType) : stored];
      }),
    ),
  };
  const Declared = defineEntity(declaration as never) as unknown as new () => object;
  return { [guess.name]: class extends Declared {} }[guess.name] as EntityClass;
}

const formatsOf = ({ parts }: NamedKey): Record<string, AnyKeyFormat> =>
  Object.fromEntries(parts.map(({ property, format }) => [property, format]));

/** The settings of a declaration other than keys and properties, in the form that the code uses. */
export interface DeclaredSettings {
  readonly kind?:
    | string
    | {
        readonly name: string;
        readonly key?: "prefix";
        readonly stored?: false;
        readonly when?: (row: StoredEntity) => boolean;
      };
  readonly kindProperty?: string;
  readonly separator?: string | { readonly partitionKey?: string; readonly rowKey?: string };
}

export function settingsOf({ kind, partitionKey, rowKey }: ClassGuess): DeclaredSettings {
  return { ...kindSettings(kind), ...separatorSetting(partitionKey.separator, rowKey.separator) };
}

function kindSettings(kind: ClassGuess["kind"]): DeclaredSettings {
  if (kind === undefined) return {};
  const { name, storedIn, isPrefix, partition } = kind;
  if (partition !== undefined) return { kind: { name, stored: false, when: testOf(partition) } };
  if (storedIn === undefined) return { kind: { name, key: "prefix", stored: false } };
  return {
    kind: isPrefix ? { name, key: "prefix" } : name,
    ...(storedIn !== "Kind" && { kindProperty: storedIn }),
  };
}

/** Tests whether a row's PartitionKey has the kind. */
const testOf =
  ({ name, separator }: KeyBeginning) =>
  ({ PartitionKey }: StoredEntity): boolean =>
    separator === "" ? PartitionKey === name : PartitionKey.startsWith(name + separator);

/** By default, parts are joined by `_`. */
function separatorSetting(ofPartition: string | undefined, ofRow: string | undefined): DeclaredSettings {
  const [partitionKey, rowKey] = [ofPartition, ofRow].map((one) => (one === "_" ? undefined : one));
  if (partitionKey === undefined && rowKey === undefined) return {};
  if ((ofPartition ?? ofRow) === (ofRow ?? ofPartition))
    return { separator: (ofRow ?? ofPartition) as string };
  return {
    separator: {
      ...(partitionKey !== undefined && { partitionKey }),
      ...(rowKey !== undefined && { rowKey }),
    },
  };
}
