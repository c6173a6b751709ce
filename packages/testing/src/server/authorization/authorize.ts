import { accountSasText, sharedKeyText, tableSasText } from "@partita/core/protocol";
import type { AccessPolicy } from "@partita/core/rest";
import { type Access, accountAccess, fullAccess, type KeyRange, tableAccess } from "./access.ts";
import { isSignature, type SignatureKey } from "./signature-key.ts";
import { ServiceFault } from "../wire/service-fault.ts";

/** What of a request its credentials are checked against. */
export interface Credentials {
  readonly method: string;
  /** The path as it was sent, percent-encoded. */
  readonly path: string;
  readonly query: ReadonlyMap<string, string>;
  readonly header: (name: string) => string | undefined;
  /** The client's address. */
  readonly address: string;
}

export interface Authority {
  readonly account: string;
  readonly key: SignatureKey;
  /** What requests come over, which a signature may be limited to. */
  readonly scheme: "http" | "https";
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** A table's stored access policies. */
  readonly policiesOf: (table: string) => readonly AccessPolicy[];
}

/** Clocks may differ by this much. */
const toleratedMs = 15 * 60_000;

/**
 * Finds out what a request may do: denied unless a signature proves it.
 *
 * @throws ServiceFault `AuthenticationFailed`, or why a signature does not fit the request
 */
export function authorize(credentials: Credentials, authority: Authority): Access {
  if (credentials.header("authorization") !== undefined) return authorizeSharedKey(credentials, authority);
  if (credentials.query.has("sig")) return authorizeSas(credentials, authority);
  throw new ServiceFault("AuthenticationFailed");
}

function authorizeSharedKey(
  { method, path, query, header }: Credentials,
  { account, key, now }: Authority,
): Access {
  const found = /^(SharedKey|SharedKeyLite) ([a-z0-9-]+):([A-Za-z0-9+/=]+)$/.exec(
    header("authorization") ?? "",
  );
  const date = header("x-ms-date") ?? header("date") ?? "";
  const isOnTime = Math.abs(now() - Date.parse(date)) <= toleratedMs;
  if (found === null || found[2] !== account || !isOnTime) throw new ServiceFault("AuthenticationFailed");
  const comp = query.get("comp");
  const parts = {
    method,
    contentType: header("content-type") ?? "",
    contentMd5: header("content-md5") ?? "",
    date,
    ...(comp !== undefined && { comp }),
  };
  // The secondary of a path-style account may be signed with its suffix or without.
  const plain = path.replace(`/${account}-secondary`, `/${account}`);
  const isSigned = [path, plain].some((signed) =>
    isSignature(found[3], sharedKeyText(account, found[1] as "SharedKey", { ...parts, path: signed }), key),
  );
  if (!isSigned) throw new ServiceFault("AuthenticationFailed");
  return fullAccess;
}

function authorizeSas(
  { query, address }: Credentials,
  { account, key, scheme, now, policiesOf }: Authority,
): Access {
  const parameters = Object.fromEntries(query);
  const isTable = query.has("tn");
  const text = isTable ? tableSasText(account, parameters) : accountSasText(account, parameters);
  // Earlier versions signed other texts.
  const version = query.get("sv") ?? "";
  const isKnown = /^\d{4}-\d{2}-\d{2}$/.test(version) && version >= "2015-04-05";
  if (!isKnown || !isSignature(query.get("sig"), text, key)) throw new ServiceFault("AuthenticationFailed");

  const table = query.get("tn") ?? "";
  const grant = withPolicy(query, isTable ? policiesOf(table) : []);
  checkTime(grant, now());
  const protocols = query.get("spr");
  if (protocols !== undefined && !protocols.split(",").includes(scheme))
    throw new ServiceFault("AuthorizationProtocolMismatch");
  if (!isInRange(address, query.get("sip"))) throw new ServiceFault("AuthorizationSourceIPMismatch");
  if (isTable) return tableAccess({ table, permissions: grant.permissions, range: rangeOf(query) });
  if (!(query.get("ss") ?? "").includes("t")) throw new ServiceFault("AuthorizationServiceMismatch");
  return accountAccess({ permissions: grant.permissions, resourceTypes: query.get("srt") ?? "" });
}

interface Grant {
  readonly permissions: string;
  readonly startsAt: string | undefined;
  readonly expiresAt: string | undefined;
}

/** A signature says each of these itself, or its policy does; not both. */
function withPolicy(query: ReadonlyMap<string, string>, policies: readonly AccessPolicy[]): Grant {
  const id = query.get("si");
  const policy = policies.find((one) => one.id === id);
  if (id !== undefined && policy === undefined) throw new ServiceFault("AuthenticationFailed");
  const either = (own: string | undefined, stored: string | undefined): string | undefined => {
    if (own !== undefined && stored !== undefined) throw new ServiceFault("AuthenticationFailed");
    return own ?? stored;
  };
  return {
    permissions: either(query.get("sp"), policy?.permissions) ?? "",
    startsAt: either(query.get("st"), policy?.startsAt),
    expiresAt: either(query.get("se"), policy?.expiresAt),
  };
}

function checkTime({ startsAt, expiresAt }: Grant, now: number): void {
  const isOn = startsAt === undefined || Date.parse(startsAt) <= now;
  // What is no date compares false.
  if (!isOn || expiresAt === undefined || !(now < Date.parse(expiresAt)))
    throw new ServiceFault("AuthenticationFailed");
}

function rangeOf(query: ReadonlyMap<string, string>): KeyRange {
  const [spk, srk, epk, erk] = ["spk", "srk", "epk", "erk"].map((name) => query.get(name));
  if ((srk !== undefined && spk === undefined) || (erk !== undefined && epk === undefined))
    throw new ServiceFault("AuthenticationFailed");
  return {
    ...(spk !== undefined && { startPartitionKey: spk }),
    ...(srk !== undefined && { startRowKey: srk }),
    ...(epk !== undefined && { endPartitionKey: epk }),
    ...(erk !== undefined && { endRowKey: erk }),
  };
}

/** Whether an address is the one allowed, or between the two. */
function isInRange(address: string, allowed: string | undefined): boolean {
  if (allowed === undefined) return true;
  const [first, last = first] = allowed.split("-").map(numberOf);
  const own = numberOf(address.replace(/^::ffff:/, ""));
  return own !== undefined && first !== undefined && last !== undefined && first <= own && own <= last;
}

function numberOf(address: string): number | undefined {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(address.trim())?.slice(1).map(Number);
  if (parts === undefined || parts.some((part) => part > 255)) return undefined;
  return parts.reduce((sum, part) => sum * 256 + part, 0);
}
