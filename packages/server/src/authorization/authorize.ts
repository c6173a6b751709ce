import { parseDateTime } from "@partita/core/protocol";
import { accountSasText } from "@partita/account/protocol";
import type { AccessPolicy } from "@partita/account";
import type { AccountGrant } from "./account-grant.ts";
import { isSignature, type SignatureKey } from "./signature-key.ts";
import { ServiceFault } from "../wire/service-fault.ts";

/** What of a request its credentials are checked against. */
export interface Credentials {
  readonly method: string;
  /** The path as it was sent, percent-encoded. */
  readonly path: string;
  readonly query: ReadonlyMap<string, string>;
  readonly header: (name: string) => string | undefined;
  /** Every header in its order, under its name as it was sent. */
  readonly headers: () => readonly (readonly [name: string, value: string])[];
  /** The client's address. */
  readonly address: string;
}

/** Whose signatures are accepted, and for what. */
export interface Authority {
  readonly account: string;
  readonly key: SignatureKey;
  /** What requests come over, which a signature may be limited to. */
  readonly scheme: "http" | "https";
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The signatures of one service, and what each of them gives access to. */
export interface Signatures<Access> {
  /** The service's letter in an account's signature. */
  readonly letter: "t" | "q" | "b";
  /** What an account's key may do. */
  readonly fullAccess: Access;
  /** The text that the key signs. */
  readonly keyText: (scheme: KeyScheme, account: string, credentials: Credentials) => string;
  /** The signature for one thing of the service; undefined where the request has that of an account. */
  readonly serviceSas: (account: string, credentials: Credentials) => ServiceSas<Access> | undefined;
  readonly accountAccess: (grant: AccountGrant) => Access;
}

export type KeyScheme = "SharedKey" | "SharedKeyLite";

/** A shared access signature for one table, queue, container or blob. */
export interface ServiceSas<Access> {
  readonly text: string;
  /** The stored policies that it may name. */
  readonly policies: readonly AccessPolicy[];
  /** @throws ServiceFault for a range that is none */
  readonly access: (permissions: string) => Access;
}

/** Clocks may differ by this much. */
const toleratedMs = 15 * 60_000;

/**
 * Finds out what a request may do: denied unless a signature proves it.
 *
 * @throws ServiceFault `AuthenticationFailed`, or why a signature does not fit the request
 */
export function authorize<Access>(
  credentials: Credentials,
  authority: Authority,
  signatures: Signatures<Access>,
): Access {
  if (credentials.header("authorization") !== undefined)
    return authorizeSharedKey(credentials, authority, signatures);
  if (credentials.query.has("sig")) return authorizeSas(credentials, authority, signatures);
  throw new ServiceFault("AuthenticationFailed");
}

function authorizeSharedKey<Access>(
  credentials: Credentials,
  { account, key, now }: Authority,
  { keyText, fullAccess }: Signatures<Access>,
): Access {
  const { path, header } = credentials;
  const found = /^(SharedKey|SharedKeyLite) ([a-z0-9-]+):([A-Za-z0-9+/=]+)$/.exec(
    header("authorization") ?? "",
  );
  const isOnTime = Math.abs(now() - Date.parse(dateOf(credentials))) <= toleratedMs;
  if (found === null || found[2] !== account || !isOnTime) throw new ServiceFault("AuthenticationFailed");
  // The secondary of a path-style account may be signed with its suffix or without.
  const plain = path.replace(`/${account}-secondary`, `/${account}`);
  const isSigned = [path, plain].some((signed) =>
    isSignature(found[3], keyText(found[1] as KeyScheme, account, { ...credentials, path: signed }), key),
  );
  if (!isSigned) throw new ServiceFault("AuthenticationFailed");
  return fullAccess;
}

/** When a request says that it was signed. */
export const dateOf = ({ header }: Pick<Credentials, "header">): string =>
  header("x-ms-date") ?? header("date") ?? "";

function authorizeSas<Access>(
  credentials: Credentials,
  { account, key, scheme, now }: Authority,
  signatures: Signatures<Access>,
): Access {
  const { query, address } = credentials;
  const sas = signatures.serviceSas(account, credentials);
  const text = sas?.text ?? accountSasText(account, Object.fromEntries(query));
  // Earlier versions signed other texts.
  const version = query.get("sv") ?? "";
  const isKnown = /^\d{4}-\d{2}-\d{2}$/.test(version) && version >= "2015-04-05";
  if (!isKnown || !isSignature(query.get("sig"), text, key)) throw new ServiceFault("AuthenticationFailed");

  const grant = withPolicy(query, sas?.policies ?? []);
  checkTime(grant, now());
  const protocols = query.get("spr");
  if (protocols !== undefined && !protocols.split(",").includes(scheme))
    throw new ServiceFault("AuthorizationProtocolMismatch");
  if (!isInRange(address, query.get("sip"))) throw new ServiceFault("AuthorizationSourceIPMismatch");
  if (sas !== undefined) return sas.access(grant.permissions);
  if (!(query.get("ss") ?? "").includes(signatures.letter))
    throw new ServiceFault("AuthorizationServiceMismatch");
  return signatures.accountAccess({
    permissions: grant.permissions,
    resourceTypes: query.get("srt") ?? "",
  });
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
  const isOn = startsAt === undefined || timeOf(startsAt) <= now;
  // What is no date compares false.
  if (!isOn || expiresAt === undefined || !(now < timeOf(expiresAt)))
    throw new ServiceFault("AuthenticationFailed");
}

const timeOf = (text: string): number => parseDateTime(text)?.ms ?? Number.NaN;

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
