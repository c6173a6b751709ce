import { brand } from "./brand.ts";
import { isError } from "./built-ins.ts";
import { TableError } from "./table-error.ts";

/** What an upgrade is about, for messages. */
export interface UpgradeSubject {
  readonly entity: string;
  readonly key: { readonly partitionKey: string; readonly rowKey: string };
}

/** A row of another version cannot become what its class is now, or the other way. Codes begin with `upgrade.`. */
export class UpgradeError extends TableError {
  static {
    brand(this, "UpgradeError");
  }

  /** A step threw, or gave what its version cannot hold. */
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

  /** The row has a property of a name that a step would give to another. */
  static nameTaken(subject: UpgradeSubject, to: number, step: string, name: string): UpgradeError {
    const problem = `could not be upgraded to version ${to}: ${step} would overwrite its property "${name}"`;
    return failure("upgrade.name-taken", subject, problem, undefined, { version: to, step, property: name });
  }

  /** An older row in a table of which its class says that none is left. */
  static notClean(subject: UpgradeSubject): UpgradeError {
    const problem =
      "is of an older version, though its upgrades are declared clean(), and only a part of it was read";
    return failure("upgrade.not-clean", subject, problem, undefined, {});
  }

  /** The version is stored as something else than a whole number from 1 on. */
  static notAVersion(subject: UpgradeSubject, storedName: string): UpgradeError {
    const problem = `has no whole number from 1 on as its version, ${storedName}`;
    return failure("upgrade.version", subject, problem, undefined, { property: storedName });
  }
}

/** Why a step failed. What a user's own code throws may quote a value: it is only named, and passed on as the cause. */
function reasonOf(cause: unknown): string {
  if (TableError.is(cause)) return `: ${cause.message.replace(/\.$/, "")}`;
  const name = isError(cause) ? cause.constructor.name : "a value that is no error";
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
  const remedy = "Its row is as it was. Correct the step or the row.";
  return new UpgradeError(code, `${row} ${problem}. ${remedy}`, { entity, ...key, ...details }, { cause });
}
