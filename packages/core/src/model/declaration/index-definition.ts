import type { KeyTemplate } from "../../values/keys/key-template.ts";
import type { IndexCopy } from "./entity-definition.ts";
import type { PropertyModel } from "./entity-model.ts";

/** What decides where the rows of an index are, and what they hold. */
interface DefinedIndex {
  readonly name: string;
  readonly prefix: string;
  readonly rowKey: KeyTemplate;
  readonly isUnique: boolean;
  readonly copy: IndexCopy;
}

/**
 * An index as text, by which storage records its state. An index whose definition changes is another index, which has not been
 * built yet. Properties go by their stored names, so renaming one in the class alone changes nothing.
 */
export function indexDefinition(
  { name, prefix, rowKey, isUnique, copy }: DefinedIndex,
  properties: readonly PropertyModel[],
): string {
  const storedName = (property: string): string =>
    properties.find((each) => each.name === property)?.storedName ?? property;
  return JSON.stringify({
    index: name,
    prefix,
    separator: rowKey.separator,
    parts: rowKey.parts.map(({ property, format }) => [property && storedName(property), format.format]),
    unique: isUnique,
    copy: typeof copy === "string" ? copy : copy.map(storedName),
  });
}
