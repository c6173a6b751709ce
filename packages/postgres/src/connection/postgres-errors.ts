import { StorageError } from "@partita/core";
import type { StorageFailure } from "@partita/core/storage";

/**
 * Whether the server rolled a statement back and keeps the session. After any other error, the session has ended, and
 * the statement may have been committed.
 */
export function isRefusal(error: unknown): boolean {
  const state = stateOf(error);
  if (state === undefined) return false;
  const { severity } = error as { severity: string };
  if (severity === "ERROR") return true;
  // The server translates severities. In other languages, codes tell errors from those that end a session.
  return !["FATAL", "PANIC"].includes(severity) && !endsSession.test(state);
}

/** Codes of errors that can end a session, or the server. */
const endsSession = /^(08|25P0[34]|28|3D|53|57P|58|F0|XX)/;

/** The SQLSTATE of an error; undefined for errors of the connection, which have codes of the system. */
function stateOf(error: unknown): string | undefined {
  const { code, severity } = (error ?? {}) as { code?: unknown; severity?: unknown };
  return typeof severity === "string" && typeof code === "string" && /^[0-9A-Z]{5}$/.test(code)
    ? code
    : undefined;
}

/**
 * Whether a prepared statement is unknown to the session or outdated: a pooler connected another session, or the schema
 * changed. The statement was not run, and can be prepared again under another name.
 */
export const isOutdatedStatement = (error: unknown): boolean =>
  isRefusal(error) && ["26000", "42P05", "0A000"].includes(stateOf(error) ?? "");

type Applied = StorageFailure["applied"];

/**
 * Converts a failure of PostgreSQL. Its messages and details quote keys and values, so only its SQLSTATE is passed on.
 *
 * @param place - the description of the storage
 * @param inDoubt - whether the statement may have been run if the connection was lost
 */
export function toStorageError(error: unknown, place: string, inDoubt: Applied): StorageError {
  const state = stateOf(error);
  // The schema's functions raise the service's codes.
  if (state === "PT000") return StorageError.ofService((error as { message: "EntityTooLarge" }).message);
  const applied = isRefusal(error) || isNeverRun(state) ? "no" : inDoubt;
  const described = (state !== undefined && descriptionOf(state)) || failed(error, state);
  const { code, text, status, isBusy = false } = described;
  return new StorageError(
    code,
    `${place} ${text}${state === undefined ? "" : ` (SQLSTATE ${state})`}.${described.remedy}`,
    {
      applied,
      ...(status !== undefined && { status }),
      ...(isBusy && { serviceCode: "ServerBusy" }),
    },
  );
}

/** The server refuses new sessions before it runs anything: too many of them, starting up, no access. */
const isNeverRun = (state: string | undefined): boolean =>
  state === "57P03" || state === "53300" || state === "3D000" || state?.startsWith("28") === true;

interface Description {
  readonly code: string;
  /** The event, after the place. */
  readonly text: string;
  /** With the space before it. */
  readonly remedy: string;
  readonly status?: number;
  readonly isBusy?: boolean;
}

const busy = (text: string, remedy = " Try again later."): Description => ({
  code: "storage.server-busy",
  text,
  remedy,
  status: 503,
  isBusy: true,
});

const access: Description = {
  code: "storage.postgres-access",
  text: "refused the user",
  remedy:
    " Check user and password of the target. If the server requires TLS, add sslmode=verify-full to the target.",
  status: 403,
};

const schema: Description = {
  code: "storage.postgres-schema",
  text: "has no schema of Partita under this name",
  remedy: ' Create it with "partita postgres init <target>", or with initPostgres(target).',
  status: 404,
};

const full: Description = {
  code: "storage.full",
  text: "cannot grow: its disk is full",
  remedy: " Free space for the database.",
  status: 507,
};

const timeout: Description = {
  code: "storage.timeout",
  text: "ended the statement: it took longer than a limit such as statement_timeout of the role",
  remedy: " Raise that limit, or read less at a time.",
  status: 500,
};

/** By SQLSTATE, or its class. Source: postgresql.org "PostgreSQL Error Codes". */
const descriptions: Readonly<Record<string, Description>> = {
  "28": access,
  "42501": {
    code: "storage.postgres-access",
    text: "refused the operation: the role lacks a right",
    remedy:
      ' Let the owner of the schema run the statements that "partita postgres init <target> --grant-to <role>" prints.',
    status: 403,
  },
  "3D000": {
    code: "storage.postgres-database",
    text: "does not exist",
    remedy: " Create the database, or check the name after the last slash of the target.",
    status: 404,
  },
  "3F000": schema,
  "42P01": schema,
  "42883": schema,
  "22021": {
    code: "storage.invalid-input",
    text: "cannot hold U+0000 in a table's name or a continuation token",
    remedy: " Use a token of this store.",
    status: 400,
  },
  "25006": {
    code: "storage.read-only",
    text: "cannot be written: the server is a replica, or set to read-only",
    remedy: " Use the address of the primary server.",
    status: 403,
  },
  "53100": full,
  "53300": busy(
    "has no free connection",
    " Lower maxConnections of the programs that use the database, or raise max_connections of the server.",
  ),
  "40001": busy("is busy: another transaction was faster"),
  "40P01": busy("is busy: transactions waited for each other"),
  "55P03": busy("is busy: a lock was not free in time"),
  "57P03": busy("is starting or shutting down"),
  "53": busy("lacks memory, or another resource", " Raise the limits of the server, or lower its load."),
  "57014": timeout,
  "25P04": timeout,
};

const descriptionOf = (state: string): Description | undefined =>
  descriptions[state] ?? descriptions[state.slice(0, 2)];

const unexpected: Description = {
  code: "storage.postgres",
  text: "failed",
  remedy: " The log of the server has the details.",
  status: 500,
};

/** A failure with a SQLSTATE that has no description. */
function failed(error: unknown, state: string | undefined): Description {
  if (isRefusal(error)) return unexpected;
  return state === undefined ? lost(error) : lostConnection("");
}

/** The connection failed, not a statement. */
function lost(error: unknown): Description {
  const { code, message = "" } = (error ?? {}) as { code?: unknown; message?: string };
  const system = typeof code === "string" ? ` (${code})` : "";
  if (message.includes("does not support SSL"))
    return {
      ...access,
      text: "does not offer TLS",
      remedy: " Remove sslmode from the target, or enable TLS there.",
    };
  if (/CERT|VERIFY|ISSUER/.test(system))
    return {
      ...access,
      text: `has a TLS certificate that cannot be verified${system}`,
      remedy:
        " Name the file of the certificate of its authority with sslrootcert in the target, and the host as the certificate does.",
    };
  // The client's own words, which have no code.
  if (message.startsWith("SASL"))
    return { ...access, remedy: " It asks for a password: check the one of the target, or add it." };
  if (message.includes(poolTimeout))
    return busy(
      "gave no connection in time: all of this program's are in use, or the server does not accept another",
      " Raise maxConnections or waitMs, or do less at once. If nothing else runs, check that the server responds.",
    );
  if (message.includes("after calling end on the pool"))
    return {
      code: "storage.closed",
      text: "cannot be used: the program ended the pool",
      remedy: " End it after the storage.",
    };
  return lostConnection(system);
}

const lostConnection = (system: string): Description => ({
  code: "storage.connection-lost",
  text: `cannot be reached, or closed the connection${system}`,
  remedy: " Check that the server runs at this address.",
});

/** The error for a pool that gives no connection. */
export const poolExhausted = (place: string): StorageError =>
  toStorageError(new Error(poolTimeout), place, "no");

/** The words of the library `pg-pool`. */
const poolTimeout = "timeout exceeded when trying to connect";
