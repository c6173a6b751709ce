import { ModelError } from "../../values/errors/model-error.ts";
import type { Shape } from "../upgrade/step.ts";
import { isRequired } from "../upgrade/convert-values.ts";
import { describeStep } from "../upgrade/describe-step.ts";
import type { UpgradeChain } from "../upgrade/upgrade-chain.ts";
import type { PropertyModel } from "./entity-model.ts";

/**
 * Checks that a class declares the result of its upgrades.
 *
 * @throws ModelError `model.upgrades`, with the property and the step
 */
export function checkFollows(
  entity: string,
  chain: UpgradeChain,
  properties: readonly PropertyModel[],
  isFree: (storedName: string) => boolean,
): void {
  for (const [i, shape] of chain.shapes.entries())
    for (const name of Object.keys(shape))
      if (!isFree(name))
        throw unfollowed(
          entity,
          name,
          `has "${name}" in version ${i + 1} of its upgrades, which is not a valid property name: it is reserved, or holds the kind or the version`,
        );
  const last = chain.shapes.at(-1) as Shape;
  const { version } = chain;
  for (const { name, storedName, serializer, place } of properties) {
    const type = last[storedName];
    // Steps may leave out the column that shows an object without values.
    if (type === undefined && place !== undefined && place.member === undefined) continue;
    if (type === undefined)
      throw unfollowed(
        entity,
        name,
        `declares "${storedName}", and no step up to version ${version} adds it. Write add("${storedName}", …), or take the property out`,
      );
    if (type.serializer.name !== serializer.name)
      throw unfollowed(
        entity,
        name,
        `declares "${storedName}" as ${serializer.name}, and ${originOf(chain, storedName)} makes it ${type.serializer.name}. Declare that type, or write retype under a new stored name`,
      );
  }
  const other = Object.keys(last).find((name) => !properties.some(({ storedName }) => storedName === name));
  if (other === undefined) return;
  throw unfollowed(
    entity,
    other,
    `does not declare "${other}", which ${originOf(chain, other)} leaves in version ${version}. Declare it, or write remove("${other}")`,
  );
}

/**
 * Checks that older releases can read every value that the class may store under the names they know.
 *
 * @throws ModelError `model.supports`, with the property
 */
export function checkSupported(
  entity: string,
  { shapes, lowest, version }: UpgradeChain,
  properties: readonly PropertyModel[],
): void {
  if (lowest === version) return;
  const last = shapes.at(-1) as Shape;
  for (const { name, storedName, serializer, presence } of properties) {
    const type = last[storedName];
    if (type === undefined) continue;
    const other = serializer.values?.find((value) => type.serializer.values?.includes(value) === false);
    const problem =
      presence === "optional" && isRequired(type)
        ? `is optional, and its upgrades, which support version ${lowest}, say that it always has a value. Make it required, or retype it`
        : other !== undefined
          ? `may be ${JSON.stringify(other)}, which its upgrades, which support version ${lowest}, do not know. Retype it under a new stored name, with a way back`
          : undefined;
    if (problem !== undefined)
      throw new ModelError("model.supports", `${entity}.${name} ${problem}.`, { entity, property: name });
  }
}

/** The step that gave a property of the last version its name and type. */
function originOf({ shapes, changes }: UpgradeChain, name: string): string {
  const type = shapes.at(-1)?.[name]?.serializer;
  const since = shapes.findLastIndex((shape) => shape[name]?.serializer !== type) + 1;
  const change = changes[since - 1];
  if (change === undefined) return "the first version";
  const step = change.type === "steps" ? change.steps.find((each) => isMaking(each, name)) : undefined;
  return `${step === undefined ? "the function" : describeStep(step)} to version ${since + 1}`;
}

const isMaking = (step: object, name: string): boolean => {
  const { to, name: added, into, op } = step as { to?: string; name?: string; into?: object; op: string };
  return to === name || (op === "add" && added === name) || (into !== undefined && Object.hasOwn(into, name));
};

function unfollowed(entity: string, property: string, problem: string): ModelError {
  return new ModelError("model.upgrades", `${entity} ${problem}.`, { entity, property });
}
