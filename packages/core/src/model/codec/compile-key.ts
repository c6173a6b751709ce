import type { KeyPart, KeyTemplate } from "../../values/keys/key-template.ts";
import type { KeyName } from "../../values/keys/key-rules.ts";
import type { EntityModel } from "../declaration/entity-model.ts";

/**
 * The code that reads a key back into its parts. A key that does not match its template is left to `assignKey`, which
 * throws the error.
 *
 * @param text - the key, as a variable or a member
 */
export function keyCode(model: EntityModel, key: KeyName, text: string): string {
  const template = templateOf(model, key);
  const otherwise = `assignKey(${names[key].template}, ${text}, ${JSON.stringify(model.name)}, e);`;
  const { parts, isOpen, separator } = template;
  if (isOpen === true || parts.length === 0) return otherwise;
  const { label } = names[key];
  const [first] = parts;
  if (parts.length === 1 && first?.property !== undefined && first.isDerived !== true)
    return `const ${label}0 = ${label}Format0.decode(${text}); if (${label}0 === undefined) ${otherwise} else e[${JSON.stringify(first.property)}] = ${label}0;`;
  const steps = parts.map((part, i) => stepOf(part, i, { text, label, separator, count: parts.length }));
  const assigned = parts.flatMap(({ property, isDerived }, i) =>
    property === undefined || isDerived === true ? [] : [`e[${JSON.stringify(property)}] = ${label}${i};`],
  );
  const variables = parts.map((_, i) => `${label}${i}`).join(", ");
  return `let ${variables}${parts.length > 1 ? `, ${label}From = 0, ${label}End = 0` : ""};
${label}: { ${steps.join(" ")} ${assigned.join(" ")} }
if (${label}${parts.length - 1} === undefined) ${otherwise}`;
}

/** The names that the code uses for each key: its template, and the prefix of its own names. */
const names = {
  PartitionKey: { template: "model.partitionKey", label: "pkPart" },
  RowKey: { template: "model.rowKey", label: "rkPart" },
} as const;

/** The formats of the parts of a key, by their names in the code. */
export const formatsOf = (model: EntityModel, key: KeyName): Record<string, unknown> =>
  Object.fromEntries(
    templateOf(model, key).parts.map(({ format }, i) => [`${names[key].label}Format${i}`, format]),
  );

const templateOf = (model: EntityModel, key: KeyName): KeyTemplate =>
  key === "PartitionKey" ? model.partitionKey : model.rowKey;

interface KeyText {
  readonly text: string;
  readonly label: string;
  readonly separator: string;
  readonly count: number;
}

/** Reads the part at `i`, and leaves the key where the text has none. */
function stepOf(
  { format: { width } }: KeyPart,
  i: number,
  { text, label, separator, count }: KeyText,
): string {
  const read = (part: string): string =>
    `${label}${i} = ${label}Format${i}.decode(${part}); if (${label}${i} === undefined) break ${label};`;
  if (count === 1) return read(text);
  const [from, end, between] = [`${label}From`, `${label}End`, JSON.stringify(separator)];
  if (i === count - 1) return read(`${text}.slice(${from})`);
  const found =
    width === undefined
      ? `${end} = ${text}.indexOf(${between}, ${from}); if (${end} < 0) break ${label};`
      : `${end} = ${from} + ${width}; if (!${text}.startsWith(${between}, ${end})) break ${label};`;
  return `${found} ${read(`${text}.slice(${from}, ${end})`)} ${from} = ${end} + ${separator.length};`;
}
