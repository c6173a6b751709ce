import { cancelled, StorageError } from "../../../values/errors/storage-error.ts";
import { refusedOption } from "../../../values/options/define-options.ts";
import { type AccessToken, type Credential, isAccountKey, type TokenCredential } from "./credential.ts";
import { type Clock, monotonicTime } from "../../../storage/clock.ts";
import type { RawResponse } from "../http/exchange.ts";
import { clockSkew } from "../http/service-error.ts";
import type { SignedRequest, Signer } from "./sign-request.ts";

/** What a request needs to prove who sends it. */
interface Authorization {
  readonly headers: Readonly<Record<string, string>>;
  /** Put at the end of the query. */
  readonly query?: string;
  readonly revision?: number;
}

/** Proves who sends a request, and learns from refusals. Secrets stay inside. */
export interface Authorizer {
  /** Whether requests are signed with the time they are sent at. */
  readonly isSigned: boolean;
  /** The time requests say they were sent at, milliseconds since 1970. */
  now(): number;
  authorize(request: SignedRequest, signal: AbortSignal | undefined): Authorization | Promise<Authorization>;
  /** Whether the same request may be accepted when it is authorized anew, after a refusal of this authorization. */
  learnFrom(response: RawResponse, refused: Authorization): boolean;
}

export interface AuthorizerOptions {
  /** How an account's key signs requests. */
  readonly signerOf: (accountName: string, key: Buffer) => Signer;
  /** The call that was given the credential, for messages. */
  readonly call: string;
  /** What tokens are asked for. */
  readonly scope: string;
  /** Whether nobody on the way can read what is sent. */
  readonly isSecure: boolean;
  /** How long a credential may take for a token, in milliseconds. */
  readonly tokenTimeoutMs: number;
  /** Counts how long a token is good for. */
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
      "A bearer token is sent over https only: whoever reads it can use it. Use the endpoint's https URL.",
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

/** Signs with an account key, and with the other one once the service refuses it. */
class KeyAuthorizer implements Authorizer {
  readonly isSigned = true;
  readonly #signers: readonly Signer[];
  #current = 0;
  /** How far this machine's clock is off, as far as a refusal showed. */
  #skewMs = 0;
  /** Counts what was learnt: requests that were on their way meanwhile learn from that. */
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
    // A time far off is nobody's clock: what is signed with it could be sent again for ever.
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

/** A day: no clock that is set at all is further off. */
const largestSkewMs = 24 * 3_600_000;

let hasWarned = false;

function warnOfSkew(skewMs: number): void {
  if (hasWarned) return;
  hasWarned = true;
  const minutes = Math.round(Math.abs(skewMs) / 60_000);
  process.emitWarning(
    `This machine's clock is ${minutes} minutes ${skewMs > 0 ? "ahead of" : "behind"} the service's, which refuses signatures for that. Requests are signed with the service's time; set the clock.`,
    { code: "PARTITA_CLOCK_SKEW" },
  );
}

/** A signature is a part of the URL, and there is nothing to learn from its refusal. */
const sasAuthorizer = (sas: string): Authorizer => ({
  isSigned: false,
  now: () => Date.now(),
  authorize: () => ({ headers: {}, query: sas }),
  learnFrom: () => false,
});

/** A token is renewed this long before it ends. */
const renewalMs = 5 * 60_000;

/** Asks for a token when it is first needed, and again before it ends or when the service refuses it. */
class BearerAuthorizer implements Authorizer {
  readonly isSigned = false;
  readonly #credential: TokenCredential;
  readonly #scope: string;
  readonly #timeoutMs: number;
  readonly #clock: Clock;
  /** Renewed at a time of the clock that the time of day does not move. */
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
    // One request for all that wait, which outlives any of them.
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
    // A header of its own could be smuggled in after a line end.
    if (found === null || typeof found.token !== "string" || !/^[\w.~+/=-]+$/.test(found.token))
      throw noToken();
    const authorization = { headers: { authorization: `Bearer ${found.token}` } };
    const lifeMs = found.expiresOnTimestamp - Date.now();
    // A short-lived one is used for half its life.
    const goodMs = Math.max(lifeMs - renewalMs, lifeMs / 2);
    this.#current = { authorization, renewAt: monotonicTime(this.#clock) + goodMs };
    return authorization;
  }

  /** A credential may hang, throw, or do anything else. */
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

/** The promise, or the end of the caller's patience. */
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
    "The credential gave no access token, so nothing was sent. Check how its identity signs in.",
    { applied: "no" },
    cause === undefined ? undefined : { cause },
  );
