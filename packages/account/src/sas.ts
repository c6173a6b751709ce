import { StorageError } from "@partita/core";
import { isDate, loadCrypto } from "@partita/core/internal";
import { isAccountKey } from "@partita/core/protocol";
import type { SharedKey } from "@partita/core/rest";

/** Options of every signature. */
export interface SasOptions {
  /**
   * The start of its validity. By default it is valid immediately. Clocks differ, so leave it out or set it
   * some minutes earlier.
   */
  readonly startsAt?: Date | undefined;
  /** The addresses that may use it: one (`168.1.5.65`) or a range (`168.1.5.60-168.1.5.70`). */
  readonly ipRange?: string | undefined;
  /** Default `https`. */
  readonly protocol?: "https" | "https,http" | undefined;
  /** Version of the signature, `sv`. Default `2019-02-02`. */
  readonly version?: string | undefined;
}

/** Options of a signature for one table. */
export interface TableSasOptions extends SasOptions {
  readonly table: string;
  /**
   * Letters of `r` (query), `a` (add), `u` (update) and `d` (delete). Upserts need `a` and `u`. By default,
   * the policy sets them.
   */
  readonly permissions?: string | undefined;
  /** By default, the policy sets it. */
  readonly expiresAt?: Date | undefined;
  /**
   * Id of a stored access policy of the table. Change or delete the policy to change or revoke the signature.
   */
  readonly policy?: string | undefined;
  /** First and last keys that it covers, inclusive. A RowKey needs its PartitionKey. */
  readonly startPartitionKey?: string | undefined;
  readonly startRowKey?: string | undefined;
  readonly endPartitionKey?: string | undefined;
  readonly endRowKey?: string | undefined;
}

/** Options of a signature for an account. */
export interface AccountSasOptions extends SasOptions {
  /**
   * Letters of `r` `w` `d` `l` `a` `c` `u` `p` (read, write, delete, list, add, create, update, process
   * messages).
   */
  readonly permissions: string;
  /** Letters of `t` (tables), `q` (queues) and `b` (blobs). Default `t`. */
  readonly services?: string | undefined;
  /**
   * Letters of `s` (service), `c` (tables, queues, containers) and `o` (entities, messages, blobs). Default
   * `sco`.
   */
  readonly resourceTypes?: string | undefined;
  readonly expiresAt: Date;
}

/** The default version of signatures. */
export const sasVersion = "2019-02-02";

/**
 * Creates a shared access signature for one table, as a query string (`sv=…&sig=…`). Pass it to `openStorage`
 * in a connection string (`TableEndpoint=…;SharedAccessSignature=…`) or append it to the URL of an endpoint.
 *
 * @throws StorageError `storage.sas` if options contradict each other
 */
export function tableSas({ accountName, accountKey }: SharedKey, options: TableSasOptions): string {
  const { permissions, policy, startPartitionKey, startRowKey, endPartitionKey, endRowKey } = options;
  if (policy === undefined && (permissions === undefined || options.expiresAt === undefined))
    throw invalidSas("a table signature needs permissions and expiresAt, or a policy that sets them");
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
 * Creates a shared access signature for the tables, the queues or the blobs of an account, or for several of
 * them, as a query string.
 *
 * @throws StorageError `storage.sas`
 */
export function accountSas({ accountName, accountKey }: SharedKey, options: AccountSasOptions): string {
  const { permissions, services = "t", resourceTypes = "sco" } = options;
  if (options.expiresAt === undefined) throw invalidSas("an account signature needs expiresAt");
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

/** The decoded parameters of a signature, by their names in the URL. */
export type SasParameters = Readonly<Record<string, string | undefined>>;

/** The text that a table signature signs. Source: learn.microsoft.com "Create a service SAS". */
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

/** The text that an account signature signs. Source: learn.microsoft.com "Create an account SAS". */
export function accountSasText(accountName: string, p: SasParameters): string {
  const parts = [accountName, p["sp"], p["ss"], p["srt"], p["st"], p["se"], p["sip"], p["spr"], p["sv"]];
  // Later versions also sign the encryption scope, which tables and queues don't have.
  if ((p["sv"] ?? "") >= "2020-12-06") parts.push(p["ses"]);
  return `${parts.map((part) => part ?? "").join("\n")}\n`;
}

/** The parameters of every signature: its time, addresses and protocol. */
export function limitsOfSas(
  { startsAt, ipRange, protocol = "https" }: SasOptions,
  expiresAt: Date | undefined,
): SasParameters {
  if (startsAt !== undefined && expiresAt !== undefined && !(startsAt < expiresAt))
    throw invalidSas("startsAt must be before expiresAt");
  return { st: startsAt && time(startsAt), se: expiresAt && time(expiresAt), sip: ipRange, spr: protocol };
}

/** Signatures have a resolution of one second. */
function time(date: Date): string {
  if (!isDate(date) || Number.isNaN(date.getTime())) throw invalidSas("a date is not valid");
  return `${date.toISOString().slice(0, 19)}Z`;
}

/** The parameters as a query string that ends with the signature of their text. */
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

/** The service requires its own order of the letters. */
export const inOrder = (letters: string, order: string): string =>
  order
    .split("")
    .filter((letter) => letters.includes(letter))
    .join("");

/** The error for options that don't make a signature. */
export const invalidSas = (problem: string): StorageError =>
  new StorageError("storage.sas", `The shared access signature cannot be created: ${problem}.`, {
    applied: "no",
  });
