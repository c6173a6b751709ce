import { randomUUID } from "node:crypto";
import type { EntityKey, StoredEntity } from "../../edm/stored-entity.ts";
import { cancelled, StorageError } from "../../errors/storage-error.ts";
import { printFilter } from "../../filter/print-filter.ts";
import { isTableName } from "../../storage/limits.ts";
import type {
  ContinuationToken,
  Page,
  RequestOptions,
  StoredQuery,
  TableStorage,
} from "../../storage/table-storage.ts";
import { keyOfOperation, type WriteOperation, type WriteResult } from "../../storage/write-operation.ts";
import { type Account, parseConnectionString } from "./connection-string.ts";
import { parseAnswer, parsePage, printEntity, toStoredEntity } from "./entity-json.ts";
import {
  type HttpClient,
  openHttpClient,
  type RawAnswer,
  type RawRequest,
  type TimeLimits,
} from "./http-client.ts";
import { entityPath, queryString, tablePath } from "./resource-url.ts";
import { serviceError } from "./service-error.ts";
import { requestSigner, type SharedKeyScheme, type SignedParts } from "./sign-request.ts";
import { readTransactionAnswer } from "./transaction-answer.ts";
import { printTransaction } from "./transaction-body.ts";
import { conditionOf, methodOf } from "./write-request.ts";

/** Settings of a service. */
export interface RestOptions {
  /** How requests are signed; default `SharedKeyLite`, as the service's own clients do. */
  readonly signature?: SharedKeyScheme;
  /** Protocol version, `x-ms-version`; default `2019-02-02`. */
  readonly protocolVersion?: string;
  /** Time limits in milliseconds: connecting (default 5000), a whole read (10000), a whole write (20000). */
  readonly timeouts?: Partial<TimeLimits>;
}

const mebibyte = 1024 * 1024;
const maxPageBytes = 16 * mebibyte;
const maxTransactionBytes = 8 * mebibyte;

/**
 * Opens a table service over its REST protocol: Azure Table Storage, Cosmos DB for Table, Azurite. Nothing is sent
 * until the first request. Every request is sent once; redirects are not followed; the key stays inside.
 *
 * @throws StorageError `storage.connection-string`
 */
export async function openRest(connectionString: string, options: RestOptions = {}): Promise<TableStorage> {
  const account = parseConnectionString(connectionString);
  const { connectMs, readMs, writeMs } = options.timeouts ?? {};
  const limits = {
    connectMs: timeLimit("connectMs", connectMs, 5_000),
    readMs: timeLimit("readMs", readMs, 10_000),
    writeMs: timeLimit("writeMs", writeMs, 20_000),
  };
  return new RestStorage(account, await openHttpClient(account.endpoint.origin, limits), options);
}

/** The codes that say an entity is not stored; any other 404 may be a wrong endpoint. */
const missingCodes = new Set<string | undefined>(["ResourceNotFound", "EntityNotFound"]);

/** What differs between requests. */
interface Request {
  readonly method: string;
  readonly path: string;
  readonly query?: string;
  readonly body?: string;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly maxBytes?: number;
  readonly isWrite: boolean;
}

class RestStorage implements TableStorage {
  readonly description: string;
  readonly isUnordered: boolean;
  readonly #client: HttpClient;
  readonly #sign: (parts: SignedParts) => string;
  readonly #origin: string;
  readonly #base: string;
  readonly #version: string;
  readonly #canPatch: boolean;
  #closing: Promise<void> | undefined;

  constructor(
    { name, endpoint, key }: Account,
    client: HttpClient,
    { signature = "SharedKeyLite", protocolVersion = "2019-02-02" }: RestOptions,
  ) {
    this.#client = client;
    this.#sign = requestSigner(name, key, signature);
    this.#origin = endpoint.origin;
    this.#base = endpoint.pathname.replace(/\/$/, "");
    this.#version = protocolVersion;
    // Cosmos answers PATCH with 405, and pages in no promised order.
    const isCosmos = /\.table\.cosmos(db)?\./.test(endpoint.hostname);
    this.#canPatch = !isCosmos;
    this.isUnordered = isCosmos;
    this.description = endpoint.origin + this.#base;
  }

  async query(table: string, query: StoredQuery, options?: RequestOptions): Promise<Page> {
    const [NextPartitionKey, NextRowKey] = parseToken(query.after);
    const parameters = {
      $filter: query.filter && printFilter(query.filter),
      $select:
        query.select && [...new Set(["PartitionKey", "RowKey", "Timestamp", ...query.select])].join(","),
      $top: query.top?.toString(),
      NextPartitionKey,
      NextRowKey,
    };
    const path = `${entityPath(this.#base, checkTable(table))}()`;
    const answer = await this.#send(
      { method: "GET", path, query: queryString(parameters), maxBytes: maxPageBytes, isWrite: false },
      options,
    );
    const entities = readAnswer(answer, (text) => parsePage(text, query.select !== undefined));
    if (entities === undefined) throw malformed("it holds no list of entities");
    const next = printToken(answer, "x-ms-continuation-nextpartitionkey", "x-ms-continuation-nextrowkey");
    return { entities, ...(next !== undefined && { next }) };
  }

  async get(table: string, key: EntityKey, options?: RequestOptions): Promise<StoredEntity | undefined> {
    const path = entityPath(this.#base, checkTable(table), key);
    try {
      const answer = readJson(await this.#send({ method: "GET", path, isWrite: false }, options));
      if (!("PartitionKey" in answer)) throw malformed("it is no entity");
      return toStoredEntity(answer);
    } catch (error) {
      const isMissing = error instanceof StorageError && missingCodes.has(error.serviceCode);
      if (isMissing) return undefined;
      throw error;
    }
  }

  async write(table: string, operation: WriteOperation, options?: RequestOptions): Promise<WriteResult> {
    checkTable(table);
    const { method, tunnel } = methodOf(operation, this.#canPatch);
    const key = operation.type === "insert" ? undefined : keyOfOperation(operation);
    const etag = conditionOf(operation);
    const headers = {
      ...(etag !== undefined && { "if-match": etag }),
      ...(tunnel !== undefined && { "x-http-method": tunnel }),
      ...(operation.type === "insert" && { prefer: "return-no-content" }),
    };
    const body = operation.type === "delete" ? undefined : printEntity(operation.entity);
    const path = entityPath(this.#base, table, key);
    const answer = await this.#send(
      { method, path, headers, ...(body !== undefined && { body }), isWrite: true },
      options,
    );
    const version = answer.headers["etag"];
    return typeof version === "string" ? { etag: version } : {};
  }

  async transact(
    table: string,
    operations: readonly WriteOperation[],
    options?: RequestOptions,
  ): Promise<readonly WriteResult[]> {
    checkTable(table);
    const { contentType, body } = printTransaction(
      this.#origin,
      this.#base,
      table,
      operations,
      this.#canPatch,
    );
    const path = `${this.#base}/$batch`;
    const answer = await this.#send(
      { method: "POST", path, contentType, body, maxBytes: maxTransactionBytes, isWrite: true },
      options,
    );
    return readTransactionAnswer(answer.text(), operations.length, textOf(answer.headers["x-ms-request-id"]));
  }

  async createTable(table: string, options?: RequestOptions): Promise<void> {
    const body = JSON.stringify({ TableName: checkTable(table) });
    const headers = { prefer: "return-no-content" };
    await this.#send({ method: "POST", path: tablePath(this.#base), body, headers, isWrite: true }, options);
  }

  async deleteTable(table: string, options?: RequestOptions): Promise<void> {
    await this.#send(
      { method: "DELETE", path: tablePath(this.#base, checkTable(table)), isWrite: true },
      options,
    );
  }

  async listTables(options?: RequestOptions): Promise<readonly string[]> {
    const names: string[] = [];
    let NextTableName: string | undefined;
    do {
      const query = queryString({ NextTableName });
      const answer = await this.#send(
        { method: "GET", path: tablePath(this.#base), query, isWrite: false },
        options,
      );
      const { value } = readJson(answer) as { value?: readonly ({ TableName?: unknown } | null)[] };
      if (!Array.isArray(value) || value.some((table) => typeof table?.TableName !== "string"))
        throw malformed("it holds no list of tables");
      names.push(...value.map((table: { TableName: string }) => table.TableName));
      const next: string | undefined = textOf(answer.headers["x-ms-continuation-nexttablename"]);
      if (next !== undefined && next === NextTableName) throw malformed("it repeats its continuation");
      NextTableName = next;
    } while (NextTableName !== undefined);
    return names;
  }

  close(): Promise<void> {
    this.#closing ??= this.#client.close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Sends one request once. @throws StorageError for every answer but success */
  async #send(request: Request, options: RequestOptions | undefined): Promise<RawAnswer> {
    if (this.#closing !== undefined)
      throw new StorageError(
        "storage.closed",
        `${this.description} is closed. Open it again with openStorage.`,
        { applied: "no" },
      );
    if (options?.signal?.aborted === true) throw cancelled(options.signal);
    const answer = await this.#client.send(this.#rawRequest(request, options));
    if (answer.status >= 200 && answer.status < 300) return answer;
    throw await serviceError(answer, request.isWrite);
  }

  #rawRequest(request: Request, options: RequestOptions | undefined): RawRequest {
    const { method, path, query = "", body, isWrite, maxBytes = mebibyte * 4 } = request;
    const contentType = request.contentType ?? (body === undefined ? "" : "application/json");
    const date = new Date().toUTCString();
    const headers: Record<string, string> = {
      authorization: this.#sign({ method, path, contentType, date }),
      "x-ms-date": date,
      "x-ms-version": this.#version,
      "x-ms-client-request-id": randomUUID(),
      accept:
        request.contentType === undefined ? "application/json;odata=minimalmetadata" : "application/json",
      dataserviceversion: "3.0",
      maxdataserviceversion: "3.0;NetFx",
      ...(contentType !== "" && { "content-type": contentType }),
      ...request.headers,
    };
    return {
      method,
      path: path + query,
      headers,
      isWrite,
      maxBytes,
      ...(body !== undefined && { body }),
      ...(options?.signal !== undefined && { signal: options.signal }),
    };
  }
}

/** The longest time that a timer of Node counts; a longer one would fire at once. */
const longestMs = 2 ** 31 - 1;

function timeLimit(name: string, ms: number | undefined, initial: number): number {
  if (ms === undefined) return initial;
  if (ms > 0) return Math.min(ms, longestMs);
  throw new StorageError("storage.time-limit", `timeouts.${name} takes milliseconds above 0, or Infinity.`, {
    applied: "no",
  });
}

/** A name that is no table's would change the URL. */
function checkTable(table: string): string {
  if (isTableName(table)) return table;
  throw StorageError.ofService("InvalidResourceName", table.slice(0, 80).replaceAll(/[^\w-]/g, "?"));
}

function readJson(answer: RawAnswer): object {
  const parsed = readAnswer(answer, parseAnswer);
  if (typeof parsed === "object" && parsed !== null) return parsed;
  throw malformed("it is no JSON object");
}

function readAnswer<Result>(answer: RawAnswer, parse: (text: string) => Result): Result {
  try {
    return parse(answer.text());
  } catch {
    // The parser's own message quotes the answer, which may hold data.
    throw malformed("it is no JSON");
  }
}

const malformed = (problem: string): StorageError =>
  new StorageError(
    "storage.malformed-answer",
    `The answer cannot be read: ${problem}. Check that the endpoint is a table service.`,
    {
      applied: "no",
    },
  );

/** The service's own continuation values, as one opaque text. Only absence ends a query: an empty key is a key. */
function printToken(answer: RawAnswer, ...names: readonly string[]): ContinuationToken | undefined {
  const values = names.map((name) => answer.headers[name] ?? null);
  if (values[0] === null) return undefined;
  if (values.some(Array.isArray)) throw malformed("it has a continuation header twice");
  return Buffer.from(JSON.stringify(values)).toString("base64url") as ContinuationToken;
}

function parseToken(token: ContinuationToken | undefined): readonly [string | undefined, string | undefined] {
  if (token === undefined) return [undefined, undefined];
  try {
    const [partitionKey, rowKey] = JSON.parse(Buffer.from(token, "base64url").toString()) as (
      | string
      | null
    )[];
    if (typeof partitionKey === "string") return [partitionKey, rowKey ?? undefined];
  } catch {
    // Falls through to the refusal below.
  }
  throw StorageError.ofService("InvalidInput", "the continuation token is not one of this store");
}

const textOf = (header: string | string[] | undefined): string | undefined =>
  typeof header === "string" && header !== "" ? header : undefined;
