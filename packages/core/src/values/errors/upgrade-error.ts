import { brand } from "./brand.ts";
import { isError } from "./built-ins.ts";
import { TableError } from "./table-error.ts";

/** The entity and key of an upgrade, for messages. */
export interface UpgradeSubject {
  readonly entity: string;
  readonly key: { readonly partitionKey: string; readonly rowKey: string };
}

/**
 * A row of another version cannot be converted to its class's current version, or back. Codes begin with `upgrade.`.
 */
export class UpgradeError extends TableError {
  static {
    brand(this, "UpgradeError");
  }

  /** A step threw, or returned values that its version cannot hold. */
  static stepFailed(subject: UpgradeSubject, to: number, step: string, cause: unknown): UpgradeError {
    return failure(
      "upgrade.step-failed",
      subject,
      `could not be upgraded to version ${to}: ${step} failed${reasonOf(cause)}`,
      cause,
      {
        version: to,
        step,
      },
    );
  }

  /** The way back of a step threw, or returned values that its version cannot hold. */
  static backFailed(subject: UpgradeSubject, to: number, step: string, cause: unknown): UpgradeError {
    const problem = `cannot be stored in the form of version ${to}, which is still supported: the way back of ${step} failed${reasonOf(cause)}`;
    return failure("upgrade.back-failed", subject, problem, cause, { version: to, step });
  }

  /** The row is older, although its class declares that the table has no older rows. */
  static notClean(subject: UpgradeSubject): UpgradeError {
    const problem =
      "has an older version although its upgrades are declared clean(), and only a part of it was read";
    return failure("upgrade.not-clean", subject, problem, undefined, {});
  }

  /** The stored version is not a whole number of 1 or greater. */
  static notAVersion(subject: UpgradeSubject, storedName: string): UpgradeError {
    const problem = `has a version, ${storedName}, that is not a whole number of 1 or more`;
    return failure("upgrade.version", subject, problem, undefined, { property: storedName });
  }
}

/**
 * The reason for a failed step. An error thrown by a user's code may quote a value: the message only names its class,
 * and the error becomes the cause.
 */
function reasonOf(cause: unknown): string {
  if (TableError.is(cause)) return `: ${cause.message}`;
  const name = isError(cause) ? cause.constructor.name : "a value that is not an error";
  return `, since it threw ${name} (see cause)`;
}

function failure(
  code: string,
  { entity, key }: UpgradeSubject,
  problem: string,
  cause: unknown,
  details: object,
): UpgradeError {
  const { partitionKey, rowKey } = key;
  const row = `${entity} (${JSON.stringify(partitionKey)}, ${JSON.stringify(rowKey)})`;
  const remedy = "The row was not changed. Correct the step or the row.";
  return new UpgradeError(code, `${row} ${problem}. ${remedy}`, { entity, ...key, ...details }, { cause });
}
