import { isPromise } from "../../../values/errors/built-ins.ts";
import { addWaiting } from "../../../values/errors/caller.ts";
import { loadCrypto } from "../../../values/keys/load-crypto.ts";
import { cancelled, StorageError } from "../../../values/errors/storage-error.ts";
import type { Clock } from "../../../storage/clock.ts";
import type { RequestOptions } from "../../../storage/table-storage.ts";
import type { Authorizer } from "../credentials/authorizer.ts";
import type { SignedRequest } from "../credentials/sign-request.ts";
import type { Account } from "../credentials/connection-string.ts";
import { addedHeaders } from "./added-headers.ts";
import type { RawResponse } from "./exchange.ts";
import type { ConnectionOptions } from "./connection-options.ts";
import { type HttpClient, openHttpClient } from "./http-client.ts";
import { requestIdOf, serviceError } from "./service-error.ts";
import type { TimeLimits } from "./transport.ts";
import { ownVersion } from "./own-version.ts";
import type { Service } from "../service.ts";

/** The variable parts of a request. */
export interface RestRequest {
  readonly method: string;
  /** The path after the account's base path, percent-encoded. */
  readonly path: string;
  /** Query parameters; undefined values are left out. */
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: string | Uint8Array;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly maxBytes?: number;
  readonly isWrite: boolean;
  /** The statuses of success; default 200. Any other success status comes from an intermediary and proves nothing. */
  readonly success?: readonly number[];
  /** Whether to use the secondary; by default, the request's options decide. */
  readonly isSecondary?: boolean;
  /**
   * Time limit for the whole request in milliseconds, which is also sent to the service; by default the client's limit.
   */
  readonly limitMs?: number;
  /** Receives the body of a successful response in chunks, instead of collecting it. */
  readonly take?: (chunk: Buffer) => void;
}

interface RequestFormat {
  readonly accept: string;
  /** Content type of a body, unless the request has its own. */
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RestClientOptions {
  readonly account: Account;
  readonly authorizer: Authorizer;
  readonly format: RequestFormat;
  readonly version: string;
  readonly limits: TimeLimits;
  /** Measures time limits. */
  readonly clock: Clock;
  /** Connection options. */
  readonly connection: ConnectionOptions;
}

/** One of the account's endpoints: primary or secondary. */
interface Place {
  readonly client: HttpClient;
  /** The path of the endpoint's URL, without a trailing slash. */
  readonly base: string;
}

const mebibyte = 1024 * 1024;

/** Authorizes each request and sends it once: to the primary, or to the secondary if a read may be stale. */
export class RestClient {
  readonly #options: RestClientOptions;
  readonly #primary: Place;
  #secondary: Promise<Place> | undefined;
  #closing: Promise<void> | undefined;
  /** The time in the last successful response of the primary. */
  #reachedTime: number | undefined;
  /** Whether the last written row's Timestamp matched the time of its response; false until the first write. */
  #isTimeOfRows = false;

  readonly #userAgent: string;

  private constructor(options: RestClientOptions, primary: Place) {
    this.#options = options;
    this.#userAgent = userAgentOf(options.connection.applicationId);
    this.#primary = primary;
  }

  static async open(options: RestClientOptions): Promise<RestClient> {
    return new RestClient(options, await openPlace(options.account.endpoint, options));
  }

  /** The primary's URL without a trailing slash, for messages and for URLs in transactions. */
  get url(): string {
    return this.#options.account.endpoint.origin + this.#primary.base;
  }

  /** Sends one request. @throws StorageError for every response except success */
  async send(request: RestRequest, options: RequestOptions | undefined): Promise<RawResponse> {
    try {
      return await this.#exchange(request, options);
    } catch (error) {
      // An error of a socket's event shows only Node's frames.
      throw addWaiting(error);
    }
  }

  async #exchange(request: RestRequest, options: RequestOptions | undefined): Promise<RawResponse> {
    this.#checkOpen(options?.signal);
    const { authorizer } = this.#options;
    const isSecondary = request.isSecondary ?? (!request.isWrite && this.prefersSecondary(options));
    const place = isSecondary ? await this.#openSecondary() : this.#primary;
    for (let isLast = false; ; isLast = true) {
      const signed = this.#signedOf(request, place);
      const found = authorizer.authorize(signed, options?.signal);
      const authorization = isPromise(found) ? await found : found;
      this.#checkOpen(options?.signal);
      const response = await place.client.send({
        method: request.method,
        path: signed.path + wholeQuery(signed.query, authorization.query),
        headers: { ...authorization.headers, ...signed.headers },
        isWrite: request.isWrite,
        maxBytes: request.maxBytes ?? 4 * mebibyte,
        ...(request.body !== undefined && { body: request.body }),
        ...(options?.signal !== undefined && { signal: options.signal }),
        limitMs: request.limitMs,
        take: request.take,
      });
      options?.onResponse?.({
        status: response.status,
        requestId: requestIdOf(response.headers),
        bytes: response.size,
        sentBytes: Buffer.byteLength(request.body ?? ""),
      });
      if (response.status >= 200 && response.status < 300) {
        checkSuccess(response, request, this.#options.account.service);
        if (!isSecondary && isOfService(response)) this.#noteTime(response, request.isWrite);
        return response;
      }
      // After refused authorization, the request was certainly not applied: retry once with the corrected
      // authorization.
      if (isLast || !authorizer.learnFrom(response, authorization))
        throw serviceError(response, { isWrite: request.isWrite, isSigned: authorizer.isSigned });
    }
  }

  /** A time that the primary's clock has reached; undefined if that clock doesn't match the rows' Timestamps. */
  get reachedTime(): number | undefined {
    return this.#isTimeOfRows ? this.#reachedTime : undefined;
  }

  #noteTime({ headers: { date, etag } }: RawResponse, isWrite: boolean): void {
    // Use the last one, not the maximum: clocks can also be set back.
    const time = typeof date === "string" ? Date.parse(date) : Number.NaN;
    if (Number.isNaN(time)) return;
    this.#reachedTime = time;
    const written = isWrite && typeof etag === "string" ? timeOfETag(etag) : undefined;
    if (written !== undefined) this.#isTimeOfRows = Math.abs(written - time) < maxDifferenceMs;
  }

  close(): Promise<void> {
    this.#closing ??= this.#closeAll();
    return this.#closing;
  }

  async #closeAll(): Promise<void> {
    await this.#primary.client.close();
    await (await this.#secondary?.catch(() => undefined))?.client.close();
  }

  #checkOpen(signal: AbortSignal | undefined): void {
    if (this.#closing !== undefined) throw this.#closed();
    if (signal?.aborted === true) throw cancelled(signal);
  }

  #closed(): StorageError {
    const { opener } = this.#options.account.service;
    const message = `${this.url} is closed. Await every save and query before close(), or open it again with ${opener}.`;
    return new StorageError("storage.closed", message, { applied: "no" });
  }

  /** Whether a read goes to the secondary: every second attempt of a read that may be stale. */
  prefersSecondary(options: RequestOptions | undefined): boolean {
    const mayBeStale = options?.mayBeStale === true && this.#options.account.secondary !== undefined;
    return mayBeStale && (options.attempt ?? 1) % 2 === 0;
  }

  #openSecondary(): Promise<Place> {
    const { account } = this.#options;
    if (account.secondary === undefined)
      throw new StorageError("storage.no-secondary", `${this.url} has no secondary endpoint.`, {
        applied: "no",
      });
    this.#secondary ??= openPlace(account.secondary, this.#options);
    return this.#secondary;
  }

  /** A complete request except its authorization. */
  #signedOf(request: RestRequest, { base }: Place): SignedRequest {
    const { format, version, limits, authorizer, connection } = this.#options;
    const { method, path, query, body } = request;
    const contentType = request.contentType ?? (body === undefined ? "" : format.contentType);
    const comp = query?.["comp"];
    const date = new Date(authorizer.now()).toUTCString();
    const headers = {
      "x-ms-date": date,
      "x-ms-version": version,
      "x-ms-client-request-id": loadCrypto().randomUUID(),
      "user-agent": this.#userAgent,
      // The parts of a transaction have their own Accept headers.
      accept: contentType.startsWith("multipart/") ? "application/json" : format.accept,
      ...format.headers,
      ...(contentType !== "" && { "content-type": contentType }),
      ...request.headers,
    };
    const { headers: addHeaders } = connection;
    return {
      method,
      path: base + path,
      contentType,
      date,
      headers: addHeaders ? { ...headers, ...addedHeaders(addHeaders, { method, path }, headers) } : headers,
      query: queryOf(request, limits),
      ...(comp !== undefined && { comp }),
      ...(body !== undefined && { body }),
    };
  }
}

/** The User-Agent: `shop/1.2 partita/0.1.0 node/24.21.0`. */
const userAgentOf = (applicationId: string | undefined): string =>
  `${applicationId === undefined ? "" : `${applicationId} `}partita/${ownVersion} node/${process.versions.node}`;

/**
 * Whether a response has a header that only the service adds. Azure and Azurite send both, Cosmos DB only the first.
 */
const isOfService = ({ headers }: RawResponse): boolean =>
  headers["x-ms-request-id"] !== undefined || headers["x-ms-version"] !== undefined;

/** A read's body proves that the service sent it. A write has only its status, which any intermediary can send. */
function checkSuccess(
  response: RawResponse,
  { isWrite, success = [200] }: RestRequest,
  { name }: Service,
): void {
  const { status } = response;
  if (!success.includes(status))
    throw notOfService(`a ${name} service does not respond with ${status} here`, status, isWrite);
  if (isWrite && !isOfService(response))
    throw notOfService(
      `it has neither x-ms-request-id nor x-ms-version, so it is not from a ${name} service`,
      status,
      isWrite,
    );
}

const notOfService = (problem: string, status: number, isWrite: boolean): StorageError =>
  new StorageError(
    "storage.malformed-response",
    `The response cannot be read: ${problem}. Check the endpoint, and any proxy before it.`,
    { applied: isWrite ? "maybe" : "no", status },
  );

async function openPlace(
  endpoint: URL,
  { account, limits, clock, connection }: RestClientOptions,
): Promise<Place> {
  const { service } = account;
  return {
    client: await openHttpClient({ service, origin: endpoint.origin }, limits, clock, connection),
    base: endpoint.pathname.replace(/\/$/, ""),
  };
}

/** The longest time that the service works on a request, in seconds. Source: "Query timeout and pagination". */
const maxServerSeconds = 30;

/** Asks the service to give up when this client does, which makes delayed writes rare. */
function queryOf({ query, isWrite, limitMs }: RestRequest, limits: TimeLimits): string {
  const ms = limitMs ?? (isWrite ? limits.writeMs : limits.readMs);
  const isSaid = limitMs !== undefined || ms < maxServerSeconds * 1000;
  const timeout = isSaid ? `timeout=${Math.max(1, Math.ceil(ms / 1000))}` : undefined;
  const all: string[] = [];
  for (const name in query) {
    const value = query[name];
    if (value !== undefined) all.push(`${name}=${encodeQuery(value)}`);
  }
  if (timeout !== undefined) all.push(timeout);
  return all.join("&");
}

function wholeQuery(query: string, added: string | undefined): string {
  if (added === undefined) return query === "" ? "" : `?${query}`;
  return query === "" ? `?${added}` : `?${query}&${added}`;
}

/** @throws StorageError `storage.out-of-range-input` for lone surrogates, which UTF-8 cannot encode */
function encodeQuery(text: string): string {
  if (!text.isWellFormed()) throw StorageError.ofService("OutOfRangeInput", "lone surrogate");
  return encodeURIComponent(text);
}

/** The largest accepted difference between a row's Timestamp and the time of the response to its write. */
const maxDifferenceMs = 15_000;

/** The Timestamp in an ETag of a row that was just written: `W/"datetime'2026-07-01T08%3A00%3A00.0000000Z'"`. */
function timeOfETag(etag: string): number | undefined {
  const text = /^W\/"datetime'(.{10,40})'"$/.exec(etag)?.[1];
  const time = text === undefined ? Number.NaN : Date.parse(text.replaceAll("%3A", ":"));
  return Number.isNaN(time) ? undefined : time;
}
