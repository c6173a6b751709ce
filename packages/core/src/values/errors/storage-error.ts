import { brand } from "./brand.ts";
import { TableError } from "./table-error.ts";

/** The details of a failed request, as a storage reports them. */
export interface StorageFailure {
  /** `no`: proof that nothing was written. `maybe`: the request may have been applied. */
  readonly applied: "no" | "maybe";
  /** HTTP status of the service, or the one that it would have sent. */
  readonly status?: number;
  /** The service's own error code, such as `EntityAlreadyExists`. */
  readonly serviceCode?: string;
  /** Zero-based position of the failed operation in a transaction. */
  readonly index?: number;
  readonly requestId?: string;
  /** The wait before the next attempt that the service asks for, in milliseconds. */
  readonly retryAfterMs?: number;
}

/**
 * A storage refused or failed a request. `code` is `storage.` and the service's code in kebab-case, such as
 * `storage.entity-already-exists`.
 */
export class StorageError extends TableError {
  static {
    brand(this, "StorageError");
  }

  readonly applied: "no" | "maybe";
  readonly status: number | undefined;
  readonly serviceCode: string | undefined;
  readonly index: number | undefined;
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(code: string, message: string, failure: StorageFailure, options?: ErrorOptions) {
    super(code, message, { ...failure }, options);
    this.applied = failure.applied;
    this.status = failure.status;
    this.serviceCode = failure.serviceCode;
    this.index = failure.index;
    this.requestId = failure.requestId;
    this.retryAfterMs = failure.retryAfterMs;
  }

  /** The error for a code of the service, with the code's usual status and wording. */
  static ofService(serviceCode: ServiceCode, about?: string, index?: number): StorageError {
    const [status, text] = serviceCodes[serviceCode];
    const message = about === undefined ? text : `${text} (${about})`;
    const failure = { applied: "no", status, serviceCode, ...(index !== undefined && { index }) } as const;
    return new StorageError(storageCode(serviceCode), message, failure);
  }

  /**
   * The error for a response of the service: the service's own message, and a remedy if the message does not have it.
   */
  static ofResponse(serviceCode: string, message: string, failure: StorageFailure): StorageError {
    const remedy = remedies[serviceCode];
    // Partita's own storages that respond like the service include the remedy already.
    const isComplete = remedy === undefined || message.includes(remedy);
    return new StorageError(storageCode(serviceCode), isComplete ? message : `${message} ${remedy}`, failure);
  }

  /** The same failure, for operation `index` of a transaction. */
  atIndex(index: number): StorageError {
    return this.#with({ index });
  }

  /** The same failure, for a request that an earlier attempt may have applied. */
  asMaybeApplied(): StorageError {
    return this.#with({ applied: "maybe" });
  }

  #with(changed: Partial<StorageFailure>): StorageError {
    const failure = { ...(this.details as unknown as StorageFailure), ...changed };
    return new StorageError(this.code, this.message, failure, { cause: this.cause });
  }
}

/** The error for work that the caller's signal stopped, before anything was written or maybe after it. */
export const cancelled = (signal: AbortSignal, applied: StorageFailure["applied"] = "no"): StorageError =>
  new StorageError(
    "storage.cancelled",
    `The request was cancelled ${applied === "no" ? "before anything was written" : "after it was sent"}.`,
    { applied },
    { cause: signal.reason },
  );

/** Partita's code for a code of the service: `EntityAlreadyExists` becomes `storage.entity-already-exists`. */
function storageCode(serviceCode: string): string {
  return `storage.${serviceCode.replace(/[A-Z]/g, (c, i: number) => (i === 0 ? "" : "-") + c.toLowerCase())}`;
}

/** Codes of the service that Partita itself throws. */
export type ServiceCode =
  | "EntityAlreadyExists"
  | "ResourceNotFound"
  | "TableNotFound"
  | "TableAlreadyExists"
  | "UpdateConditionNotSatisfied"
  | "InvalidInput"
  | "InvalidDuplicateRow"
  | "CommandsInBatchActOnDifferentPartitions"
  | "PropertiesNeedValue"
  | "OutOfRangeInput"
  | "PropertyValueTooLarge"
  | "PropertyNameInvalid"
  | "PropertyNameTooLong"
  | "TooManyProperties"
  | "EntityTooLarge"
  | "RequestBodyTooLarge"
  | "InvalidResourceName"
  | "InvalidValueType"
  | "ServerBusy";

const createTables =
  "Create it with createTables(storage, [YourClass]), or check that the storage target is the one you mean.";
const checkKey = "Check the account's name and key, or the shared access signature.";
const checkRole =
  "The credential lacks a permission: give it a role such as Storage Table Data Contributor or Storage Queue Data Contributor, or a signature that allows this.";

/** Remedies, for codes without one in the service's message. Source: "Table Storage error codes". */
const remedies: Readonly<Record<string, string | undefined>> = {
  TableNotFound: createTables,
  AuthenticationFailed: checkKey,
  AuthorizationFailure: checkKey,
  InvalidAuthenticationInfo: checkKey,
  AuthorizationPermissionMismatch: checkRole,
  AuthorizationResourceTypeMismatch: checkRole,
};

/** Status and wording per code. Source: learn.microsoft.com "Table Storage error codes". */
const serviceCodes: Readonly<Record<ServiceCode, readonly [status: number, text: string]>> = {
  EntityAlreadyExists: [409, "The entity exists already."],
  ResourceNotFound: [404, "The entity or table does not exist."],
  TableNotFound: [404, `The table does not exist. ${createTables}`],
  TableAlreadyExists: [409, "The table exists already."],
  UpdateConditionNotSatisfied: [412, "Another writer changed the entity: its ETag no longer matches."],
  InvalidInput: [400, "The request is malformed."],
  InvalidDuplicateRow: [400, "An entity can appear only once in a transaction."],
  CommandsInBatchActOnDifferentPartitions: [
    400,
    "All operations of a transaction must have one PartitionKey.",
  ],
  PropertiesNeedValue: [400, "PartitionKey and RowKey need a value."],
  OutOfRangeInput: [400, "A value is outside the range its type allows."],
  PropertyValueTooLarge: [400, "A property value or key is larger than the service stores."],
  PropertyNameInvalid: [400, "A property name is not a valid identifier."],
  PropertyNameTooLong: [400, "A property name is longer than 255 characters."],
  TooManyProperties: [400, "An entity can have at most 252 properties."],
  EntityTooLarge: [400, "The entity is larger than 1 MiB."],
  RequestBodyTooLarge: [413, "The transaction is larger than 4 MiB."],
  InvalidResourceName: [
    400,
    "The table name is not valid: 3 to 63 letters and digits, beginning with a letter.",
  ],
  InvalidValueType: [400, "A value is not of the EDM type it is sent as."],
  ServerBusy: [503, "The store is busy."],
};
