import type { KeyTemplate } from "../../values/keys/key-template.ts";
import type { IndexCopy, UniqueOver } from "./entity-definition.ts";
import { traceProperty } from "../upgrade/trace-property.ts";
import type { EntityModel } from "./entity-model.ts";

/** The members that decide where the rows of an index are stored, and what they hold. */
interface DefinedIndex {
  readonly name: string;
  readonly prefix: string;
  readonly rowKey: KeyTemplate;
  readonly isUnique: boolean;
  readonly over: UniqueOver | undefined;
  readonly copy: IndexCopy;
}

/**
 * An index as text, under which storage records its state. If its definition changes, it is another index, which is not
 * built yet. Properties are named by their first stored names, so renaming one changes nothing.
 */
export function indexDefinition(
  { name, prefix, rowKey, isUnique, over, copy }: DefinedIndex,
  { properties, version }: EntityModel,
): string {
  const storedName = (property: string): string => {
    const name = properties.find((each) => each.name === property)?.storedName ?? property;
    const chain = version?.chain;
    return (chain && traceProperty({ ...chain, oldest: 1 }, name)?.formerNames.at(-1)) ?? name;
  };
  return JSON.stringify({
    index: name,
    prefix,
    separator: rowKey.separator,
    parts: rowKey.parts.map(({ property, format }) => [property && storedName(property), format.format]),
    unique: isUnique,
    ...(over === "table" && { over }),
    copy: typeof copy === "string" ? copy : copy.map(storedName),
  });
}
