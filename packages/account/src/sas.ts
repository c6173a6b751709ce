import { StorageError } from "@partita/core";
import { isDate, loadCrypto } from "@partita/core/internal";
import { isAccountKey } from "@partita/core/protocol";
import type { SharedKey } from "@partita/core/rest";

/** What every signature says. */
export interface SasOptions {
  /** From when on it is good; at once when absent. Clocks differ: leave it out, or begin some minutes early. */
  readonly startsAt?: Date | undefined;
  /** Addresses it is good for: one (`168.1.5.65`) or a range (`168.1.5.60-168.1.5.70`). */
  readonly ipRange?: string | undefined;
  /** Default `https`. */
  readonly protocol?: "https" | "https,http" | undefined;
  /** Version of the signature, `sv`; default `2019-02-02`. */
  readonly version?: string | undefined;
}

/** What a signature for one table allows. */
export interface TableSasOptions extends SasOptions {
  readonly table: string;
  /** Of `r` (query), `a` (add), `u` (update) and `d` (delete); upserts need `a` and `u`. Absent: the policy says it. */
  readonly permissions?: string | undefined;
  /** Absent: the policy says it. */
  readonly expiresAt?: Date | undefined;
  /** Id of a stored access policy of the table, which may then be changed or revoked. */
  readonly policy?: string | undefined;
  /** First and last keys that it reaches, inclusive. A RowKey needs its PartitionKey. */
  readonly startPartitionKey?: string | undefined;
  readonly startRowKey?: string | undefined;
  readonly endPartitionKey?: string | undefined;
  readonly endRowKey?: string | undefined;
}

/** What a signature for a whole account allows. */
export interface AccountSasOptions extends SasOptions {
  /** Of `r` `w` `d` `l` `a` `c` `u` `p` (read, write, delete, list, add, create, update, process messages). */
  readonly permissions: string;
  /** Of `t` (tables), `q` (queues) and `b` (blobs); default `t`. */
  readonly services?: string | undefined;
  /** Of `s` (service), `c` (tables, queues, containers) and `o` (entities, messages, blobs); default `sco`. */
  readonly resourceTypes?: string | undefined;
  readonly expiresAt: Date;
}

/** The version that signatures are made in. */
export const sasVersion = "2019-02-02";

/**
 * A shared access signature for one table, as a query string (`sv=…&sig=…`): for `openStorage` in a connection string
 * (`TableEndpoint=…;SharedAccessSignature=…`) or at the end of an endpoint's URL.
 *
 * @throws StorageError `storage.sas` for options that contradict each other
 */
export function tableSas({ accountName, accountKey }: SharedKey, options: TableSasOptions): string {
  const { permissions, policy, startPartitionKey, startRowKey, endPartitionKey, endRowKey } = options;
  if (policy === undefined && (permissions === undefined || options.expiresAt === undefined))
    throw invalidSas("a table's signature needs permissions and expiresAt, or a policy that has them");
  checkLetters(permissions, "raud");
  if (startRowKey !== undefined && startPartitionKey === undefined)
    throw invalidSas("startRowKey needs startPartitionKey");
  if (endRowKey !== undefined && endPartitionKey === undefined)
    throw invalidSas("endRowKey needs endPartitionKey");
  return signSas(accountKey, tableSasText, accountName, {
    sv: options.version ?? sasVersion,
    tn: options.table,
    sp: permissions && inOrder(permissions, "raud"),
    ...limitsOfSas(options, options.expiresAt),
    si: policy,
    spk: startPartitionKey,
    srk: startRowKey,
    epk: endPartitionKey,
    erk: endRowKey,
  });
}

/**
 * A shared access signature for the tables, the queues or the blobs of an account, or for several of them, as a query string.
 *
 * @throws StorageError `storage.sas`
 */
export function accountSas({ accountName, accountKey }: SharedKey, options: AccountSasOptions): string {
  const { permissions, services = "t", resourceTypes = "sco" } = options;
  if (options.expiresAt === undefined) throw invalidSas("an account's signature needs expiresAt");
  checkLetters(permissions, "rwdlacup");
  checkLetters(services, "bqt");
  checkLetters(resourceTypes, "sco");
  return signSas(accountKey, accountSasText, accountName, {
    sv: options.version ?? sasVersion,
    ss: inOrder(services, "bqt"),
    srt: inOrder(resourceTypes, "sco"),
    sp: inOrder(permissions, "rwdlacup"),
    ...limitsOfSas(options, options.expiresAt),
  });
}

/** The parameters of a signature by their names in the URL, decoded. */
export type SasParameters = Readonly<Record<string, string | undefined>>;

/** The text that a table's signature signs. Source: learn.microsoft.com "Create a service SAS". */
export const tableSasText = (accountName: string, p: SasParameters): string =>
  [
    p["sp"],
    p["st"],
    p["se"],
    `/table/${accountName}/${(p["tn"] ?? "").toLowerCase()}`,
    p["si"],
    p["sip"],
    p["spr"],
    p["sv"],
    p["spk"],
    p["srk"],
    p["epk"],
    p["erk"],
  ]
    .map((part) => part ?? "")
    .join("\n");

/** The text that an account's signature signs. Source: learn.microsoft.com "Create an account SAS". */
export function accountSasText(accountName: string, p: SasParameters): string {
  const parts = [accountName, p["sp"], p["ss"], p["srt"], p["st"], p["se"], p["sip"], p["spr"], p["sv"]];
  // Later versions sign the encryption scope too, which tables and queues have none of.
  if ((p["sv"] ?? "") >= "2020-12-06") parts.push(p["ses"]);
  return `${parts.map((part) => part ?? "").join("\n")}\n`;
}

/** The parameters that every signature has: when, from where and over what it is good. */
export function limitsOfSas(
  { startsAt, ipRange, protocol = "https" }: SasOptions,
  expiresAt: Date | undefined,
): SasParameters {
  if (startsAt !== undefined && expiresAt !== undefined && !(startsAt < expiresAt))
    throw invalidSas("startsAt must be before expiresAt");
  return { st: startsAt && time(startsAt), se: expiresAt && time(expiresAt), sip: ipRange, spr: protocol };
}

/** Seconds are the finest that a signature knows. */
function time(date: Date): string {
  if (!isDate(date) || Number.isNaN(date.getTime())) throw invalidSas("a date is not valid");
  return `${date.toISOString().slice(0, 19)}Z`;
}

/** The parameters as a query string, with the signature of their text at its end. */
export function signSas(
  accountKey: string,
  textOf: (accountName: string, parameters: SasParameters) => string,
  accountName: string,
  parameters: SasParameters,
): string {
  if (!isAccountKey(accountKey)) throw invalidSas("accountKey is not base64");
  const sig = loadCrypto()
    .createHmac("sha256", Buffer.from(accountKey, "base64"))
    .update(textOf(accountName, parameters))
    .digest("base64");
  const given = Object.entries({ ...parameters, sig }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return given.join("&");
}

/** @throws StorageError `storage.sas` */
export function checkLetters(letters: string | undefined, known: string): void {
  if (letters === undefined) return;
  if (letters === "" || letters.split("").some((letter) => !known.includes(letter)))
    throw invalidSas(`permissions, services and resource types are letters of "${known}"`);
}

/** The service wants the letters in its own order. */
export const inOrder = (letters: string, order: string): string =>
  order
    .split("")
    .filter((letter) => letters.includes(letter))
    .join("");

/** The error for a signature that cannot be made. */
export const invalidSas = (problem: string): StorageError =>
  new StorageError("storage.sas", `The shared access signature cannot be made: ${problem}.`, {
    applied: "no",
  });
