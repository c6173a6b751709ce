import { parseDateTime } from "@partita/core/protocol";
import { accountSasText } from "@partita/account/protocol";
import type { AccessPolicy } from "@partita/account";
import type { AccountGrant } from "./account-grant.ts";
import { isSignature, type SignatureKey } from "./signature-key.ts";
import { ServiceFault } from "../wire/service-fault.ts";

/** The parts of a request that are used to check its credentials. */
export interface Credentials {
  readonly method: string;
  /** The percent-encoded path. */
  readonly path: string;
  readonly query: ReadonlyMap<string, string>;
  readonly header: (name: string) => string | undefined;
  /** All headers in order, with their original names. */
  readonly headers: () => readonly (readonly [name: string, value: string])[];
  /** The client's address. */
  readonly address: string;
}

/** The account, with its keys and clock. */
export interface Authority {
  readonly account: string;
  readonly key: SignatureKey;
  /** The protocol of requests; a signature may be limited to https. */
  readonly scheme: "http" | "https";
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The signatures of one service, with the access that each grants. */
export interface Signatures<Access> {
  /** The service's letter in an account's signature. */
  readonly letter: "t" | "q" | "b";
  /** The access that an account's key grants. */
  readonly fullAccess: Access;
  /** The text that is signed with a key. */
  readonly keyText: (scheme: KeyScheme, account: string, credentials: Credentials) => string;
  /** Reads a signature for one resource of the service; undefined if the request has an account's signature. */
  readonly serviceSas: (account: string, credentials: Credentials) => ServiceSas<Access> | undefined;
  readonly accountAccess: (grant: AccountGrant) => Access;
}

export type KeyScheme = "SharedKey" | "SharedKeyLite";

/** A shared access signature for one table, queue, container or blob. */
export interface ServiceSas<Access> {
  readonly text: string;
  /** Reads the stored policies that it can refer to. */
  readonly policies: () => Promise<readonly AccessPolicy[]>;
  /** @throws ServiceFault for an invalid range */
  readonly access: (permissions: string) => Access;
}

/** Tolerance for differences between clocks. */
const toleratedMs = 15 * 60_000;

/**
 * Returns the access of a request. Access is denied unless a signature proves it. Stored policies are read only for a
 * valid signature that names one.
 *
 * @throws ServiceFault `AuthenticationFailed`, or another code if the signature does not match the request
 */
export async function authorize<Access>(
  credentials: Credentials,
  authority: Authority,
  signatures: Signatures<Access>,
): Promise<Access> {
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
  // For the secondary of a path-style account, accept a signature with or without the suffix.
  const plain = path.replace(`/${account}-secondary`, `/${account}`);
  const isSigned = [path, plain].some((signed) =>
    isSignature(found[3], keyText(found[1] as KeyScheme, account, { ...credentials, path: signed }), key),
  );
  if (!isSigned) throw new ServiceFault("AuthenticationFailed");
  return fullAccess;
}

/** The time of the signature, according to the request. */
export const dateOf = ({ header }: Pick<Credentials, "header">): string =>
  header("x-ms-date") ?? header("date") ?? "";

async function authorizeSas<Access>(
  credentials: Credentials,
  { account, key, scheme, now }: Authority,
  signatures: Signatures<Access>,
): Promise<Access> {
  const { query, address } = credentials;
  const sas = signatures.serviceSas(account, credentials);
  const text = sas?.text ?? accountSasText(account, Object.fromEntries(query));
  // Earlier versions signed different texts.
  const version = query.get("sv") ?? "";
  const isKnown = /^\d{4}-\d{2}-\d{2}$/.test(version) && version >= "2015-04-05";
  if (!isKnown || !isSignature(query.get("sig"), text, key)) throw new ServiceFault("AuthenticationFailed");

  const policies = query.has("si") ? await sas?.policies() : undefined;
  const grant = withPolicy(query, policies ?? []);
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

/** Each of these is set either in the signature or in its policy, not in both. */
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
  // A comparison with an invalid date is false.
  if (!isOn || expiresAt === undefined || !(now < timeOf(expiresAt)))
    throw new ServiceFault("AuthenticationFailed");
}

const timeOf = (text: string): number => parseDateTime(text)?.ms ?? Number.NaN;

/** Whether an address equals the allowed one, or is between two. */
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
