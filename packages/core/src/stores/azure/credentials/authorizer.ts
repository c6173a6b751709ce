import { cancelled, StorageError } from "../../../values/errors/storage-error.ts";
import { refusedOption } from "../../../values/options/define-options.ts";
import { type AccessToken, type Credential, isAccountKey, type TokenCredential } from "./credential.ts";
import { type Clock, monotonicTime } from "../../../storage/clock.ts";
import type { RawResponse } from "../http/exchange.ts";
import { clockSkew } from "../http/service-error.ts";
import type { SignedRequest, Signer } from "./sign-request.ts";

/** The headers and query parameters that authorize a request. */
interface Authorization {
  readonly headers: Readonly<Record<string, string>>;
  /** Appended to the query. */
  readonly query?: string;
  readonly revision?: number;
}

/** Authorizes requests, and adapts after refusals. Secrets stay inside. */
export interface Authorizer {
  /** Whether requests are signed together with the time at which they are sent. */
  readonly isSigned: boolean;
  /** The time that requests declare, in milliseconds since 1970. */
  now(): number;
  authorize(request: SignedRequest, signal: AbortSignal | undefined): Authorization | Promise<Authorization>;
  /** Whether the service may accept the same request with new authorization, after it refused this one. */
  learnFrom(response: RawResponse, refused: Authorization): boolean;
}

export interface AuthorizerOptions {
  /** Returns a function that signs requests with an account's key. */
  readonly signerOf: (accountName: string, key: Buffer) => Signer;
  /** The function that received the credential, for messages. */
  readonly call: string;
  /** The scope of requested tokens. */
  readonly scope: string;
  /** Whether the connection is encrypted. */
  readonly isSecure: boolean;
  /** The time limit for a token request, in milliseconds. */
  readonly tokenTimeoutMs: number;
  /** Measures how long a token remains valid. */
  readonly clock: Clock;
}

export function authorizerFor(
  credential: Credential,
  { signerOf, call, scope, isSecure, tokenTimeoutMs, clock }: AuthorizerOptions,
): Authorizer {
  if ("getToken" in credential) {
    if (isSecure) return new BearerAuthorizer(credential, scope, tokenTimeoutMs, clock);
    throw new StorageError(
      "storage.insecure-token",
      "A bearer token is sent over https only, since anyone who reads it can use it. Use the endpoint's https URL.",
      { applied: "no" },
    );
  }
  if ("sas" in credential) return sasAuthorizer(credential.sas.replace(/^\?/, ""));
  const { accountName, accountKey, secondAccountKey } = credential;
  const keys = secondAccountKey === undefined ? [accountKey] : [accountKey, secondAccountKey];
  if (!keys.every(isAccountKey) || typeof accountName !== "string")
    throw refusedOption(
      "storage.option",
      call,
      "credential",
      "an accountName, and an accountKey in base64 as the portal shows it",
    );
  return new KeyAuthorizer(keys.map((key) => signerOf(accountName, Buffer.from(key, "base64"))));
}

/** Signs with an account key. If the service refuses it, signs with the second key. */
class KeyAuthorizer implements Authorizer {
  readonly isSigned = true;
  readonly #signers: readonly Signer[];
  #current = 0;
  /** The offset between this machine's clock and the service's, as the last refusal showed it. */
  #skewMs = 0;
  /** Counts corrections, so a request that was already under way also benefits from one. */
  #revision = 0;

  constructor(signers: readonly Signer[]) {
    this.#signers = signers;
  }

  now(): number {
    return Date.now() - this.#skewMs;
  }

  authorize(request: SignedRequest): Authorization {
    const sign = this.#signers[this.#current] as Signer;
    return { headers: { authorization: sign(request) }, revision: this.#revision };
  }

  learnFrom({ status, headers }: RawResponse, { revision }: Authorization): boolean {
    if (status !== 403) return false;
    if (revision !== this.#revision) return true;
    const skew = clockSkew(headers["date"], this.now());
    // Ignore larger offsets: a captured request that is signed for a distant time could be replayed indefinitely.
    if (skew !== undefined && Math.abs(skew) <= largestSkewMs) {
      this.#skewMs += skew;
      this.#revision++;
      warnOfSkew(this.#skewMs);
      return true;
    }
    if (this.#signers.length === 1) return false;
    this.#current = (this.#current + 1) % this.#signers.length;
    this.#revision++;
    return true;
  }
}

/** A day. A clock that was set at all is closer than that. */
const largestSkewMs = 24 * 3_600_000;

let hasWarned = false;

function warnOfSkew(skewMs: number): void {
  if (hasWarned) return;
  hasWarned = true;
  const minutes = Math.round(Math.abs(skewMs) / 60_000);
  process.emitWarning(
    `This machine's clock is ${minutes} minutes ${skewMs > 0 ? "ahead of" : "behind"} the service's clock, so the service refuses its signatures. Requests are now signed with the service's time. Set this machine's clock.`,
    { code: "PARTITA_CLOCK_SKEW" },
  );
}

/** A signature is part of the URL. If it is refused, no other authorization is available. */
const sasAuthorizer = (sas: string): Authorizer => ({
  isSigned: false,
  now: () => Date.now(),
  authorize: () => ({ headers: {}, query: sas }),
  learnFrom: () => false,
});

/** A token is renewed this long before it expires. */
const renewalMs = 5 * 60_000;

/** Requests a token on first use, and again before it expires or when the service refuses it. */
class BearerAuthorizer implements Authorizer {
  readonly isSigned = false;
  readonly #credential: TokenCredential;
  readonly #scope: string;
  readonly #timeoutMs: number;
  readonly #clock: Clock;
  /** Measured with a monotonic clock, so changes to the time of day have no effect. */
  #current: { readonly authorization: Authorization; readonly renewAt: number } | undefined;
  #asking: Promise<Authorization> | undefined;

  constructor(credential: TokenCredential, scope: string, timeoutMs: number, clock: Clock) {
    this.#credential = credential;
    this.#scope = scope;
    this.#timeoutMs = timeoutMs;
    this.#clock = clock;
  }

  now(): number {
    return Date.now();
  }

  authorize(
    _request: SignedRequest,
    signal: AbortSignal | undefined,
  ): Authorization | Promise<Authorization> {
    const current = this.#current;
    if (current !== undefined && monotonicTime(this.#clock) < current.renewAt) return current.authorization;
    // All callers share one token request, even if the first caller cancels.
    this.#asking ??= this.#ask().finally(() => (this.#asking = undefined));
    return unless(signal, this.#asking);
  }

  learnFrom({ status }: RawResponse, refused: Authorization): boolean {
    if (status !== 401) return false;
    if (this.#current?.authorization === refused) this.#current = undefined;
    return true;
  }

  async #ask(): Promise<Authorization> {
    const found = await this.#getToken();
    // A line break in a token could inject another header.
    if (found === null || typeof found.token !== "string" || !/^[\w.~+/=-]+$/.test(found.token))
      throw noToken();
    const authorization = { headers: { authorization: `Bearer ${found.token}` } };
    const lifeMs = found.expiresOnTimestamp - Date.now();
    // A short-lived token is used for half its lifetime.
    const goodMs = Math.max(lifeMs - renewalMs, lifeMs / 2);
    this.#current = { authorization, renewAt: monotonicTime(this.#clock) + goodMs };
    return authorization;
  }

  /** A credential may hang or throw. */
  async #getToken(): Promise<AccessToken | null> {
    const abortSignal = AbortSignal.timeout(this.#timeoutMs);
    try {
      return await unless(
        abortSignal,
        Promise.resolve(this.#credential.getToken(this.#scope, { abortSignal })),
      );
    } catch (cause) {
      throw noToken(cause);
    }
  }
}

/** Resolves with the promise, or rejects when the caller aborts. */
async function unless<Result>(signal: AbortSignal | undefined, promise: Promise<Result>): Promise<Result> {
  if (signal === undefined) return promise;
  let end = (): void => undefined;
  const ended = new Promise<never>((_resolve, reject) => {
    end = () => reject(cancelled(signal));
    signal.addEventListener("abort", end, { once: true });
  });
  try {
    return await Promise.race([promise, ended]);
  } finally {
    signal.removeEventListener("abort", end);
  }
}

const noToken = (cause?: unknown): StorageError =>
  new StorageError(
    "storage.no-token",
    "The credential returned no access token, so the request was not sent. Check the credential's sign-in settings.",
    { applied: "no" },
    cause === undefined ? undefined : { cause },
  );
