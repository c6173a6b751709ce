import { markCopy } from "../../values/errors/brand.ts";
import type { EntityKey, StoredEntity } from "../../values/edm/stored-entity.ts";
import { StorageError } from "../../values/errors/storage-error.ts";
import { printFilter } from "../../values/filter/print-filter.ts";
import { checkOperation, checkOperations } from "../../storage/check-write.ts";
import { checkFilter } from "../../storage/check-filter.ts";
import { systemClock } from "../../storage/clock.ts";
import { TokenWatch } from "../../storage/follow-pages.ts";
import { isReadableTable, isTableName, shownTable } from "../../storage/limits.ts";
import type { RowReader } from "../../storage/row-reader.ts";
import { offerEngine, portOf, type RowPage, type StoreEngine } from "../../storage/store-engine.ts";
import type {
  ContinuationToken,
  StoredPage,
  RequestOptions,
  StoredQuery,
  TableStorage,
} from "../../storage/table-storage.ts";
import { keyOfOperation, type WriteOperation, type WriteResult } from "../../storage/write-operation.ts";
import { authorizerFor } from "./credentials/authorizer.ts";
import { readAccount } from "./credentials/connection-string.ts";
import { malformed, parseToken, printToken, readable, readResponse, textOf } from "./wire/read-response.ts";
import { entityPath, tablePath } from "./wire/resource-url.ts";
import type { RawResponse } from "./http/exchange.ts";
import { RestClient } from "./http/rest-client.ts";
import { requestSigner } from "./credentials/sign-request.ts";
import { type RestOptions, timeLimitsOf, versionOf } from "./rest-options.ts";
import { requestIdOf } from "./http/service-error.ts";
import { readTransactionResponse } from "./wire/transaction-response.ts";
import { printTransaction } from "./wire/transaction-body.ts";
import { jsonFormat, type WireFormat } from "./wire/wire-format.ts";
import { conditionOf, methodOf, type Tunnel, tunnelled } from "./wire/write-request.ts";

const mebibyte = 1024 * 1024;
const maxPageBytes = 16 * mebibyte;
const maxTransactionBytes = 8 * mebibyte;

/**
 * Opens a table service over its REST protocol: Azure Table Storage, Cosmos DB for Table or Azurite. It connects on the
 * first request. Every request is sent once; redirects are not followed; the key stays inside.
 *
 * @param target - a connection string, or the URL of the table endpoint
 * @throws StorageError `storage.connection-string`; OptionError `storage.option`
 */
export async function openRest(target: string, options: RestOptions = {}): Promise<TableStorage> {
  const { storage } = await openRestStorage(target, options);
  return storage;
}

/** The storage, with its HTTP client. */
export async function openRestStorage(
  target: string,
  options: RestOptions,
): Promise<{ readonly storage: TableStorage; readonly client: RestClient }> {
  const account = readAccount(target, options);
  const { endpoint, credential } = account;
  const { clock = systemClock } = options;
  const limits = timeLimitsOf(options.timeouts);
  // Cosmos DB refuses PATCH with 405, and its pages have no guaranteed order.
  const isCosmos = /\.table\.cosmos(db)?\./.test(endpoint.hostname);
  const authorizer = authorizerFor(credential, {
    signerOf: (name, key) => requestSigner(name, key, options.signature ?? "SharedKeyLite"),
    call: "openStorage(target, options)",
    scope: `https://${isCosmos ? "cosmos" : "storage"}.azure.com/.default`,
    tokenTimeoutMs: limits.readMs,
    clock,
    isSecure: endpoint.protocol === "https:" || options.allowInsecure === true,
  });
  const format = options.format === "atom" ? await loadAtom() : jsonFormat(options.metadata ?? "minimal");
  const version = versionOf({ ...options, credential });
  const headers = {
    dataserviceversion: format.dataServiceVersion,
    maxdataserviceversion: format.maxDataServiceVersion,
  };
  const client = await RestClient.open({
    connection: options,
    account,
    authorizer,
    version,
    limits,
    clock,
    format: { ...format, headers },
  });
  const tunnel = options.tunnelMethods === true ? "all" : isCosmos ? "merge" : "none";
  const storage = new RestStorage(client, format, tunnel, {
    isUnordered: isCosmos,
    readsMayBeStale: isCosmos && options.consistency !== "strong",
  });
  offerEngine(storage, storage, declared);
  return { client, storage };
}

/** Loaded on demand, since it imports the XML parser. */
async function loadAtom(): Promise<WireFormat> {
  const { atomFormat } = await import("./wire/atom/atom-format.ts");
  return atomFormat();
}

/** The codes for an entity that is not stored. Any other 404 may mean a wrong endpoint. */
const missingCodes = new Set<string | undefined>(["ResourceNotFound", "EntityNotFound"]);

class RestStorage implements TableStorage, StoreEngine {
  static {
    markCopy(this.prototype);
  }

  readonly description: string;
  readonly isUnordered: boolean;
  readonly readsMayBeStale: boolean;
  readonly #client: RestClient;
  readonly #format: WireFormat;
  readonly #tunnel: Tunnel;

  constructor(
    client: RestClient,
    format: WireFormat,
    tunnel: Tunnel,
    { isUnordered, readsMayBeStale }: Pick<RestStorage, "isUnordered" | "readsMayBeStale">,
  ) {
    this.#client = client;
    this.#format = format;
    this.#tunnel = tunnel;
    this.isUnordered = isUnordered;
    this.readsMayBeStale = readsMayBeStale;
    this.description = client.url;
  }

  readonly reachedTime = (): number | undefined => this.#client.reachedTime;

  async query(table: string, query: StoredQuery, options?: RequestOptions): Promise<StoredPage> {
    const { response, next } = await this.#ask(table, query, options);
    return { entities: this.#parsePage(response, query), ...(next !== undefined && { next }) };
  }

  async readRows(
    table: string,
    query: StoredQuery,
    reader: RowReader,
    options?: RequestOptions,
  ): Promise<RowPage> {
    const { response, next } = await this.#ask(table, query, options);
    const { readRows } = this.#format;
    const read = query.select === undefined ? readRows : undefined;
    const rows = read && readable(() => read(response.bytes(), reader));
    return { rows: rows ?? this.#parsePage(response, query), ...(next !== undefined && { next }) };
  }

  /** Sends a query. Returns its response, and the start of the next page. */
  async #ask(
    table: string,
    query: StoredQuery,
    options: RequestOptions | undefined,
  ): Promise<{ readonly response: RawResponse; readonly next: ContinuationToken | undefined }> {
    const position = parseToken(query.after);
    const { NextPartitionKey, NextRowKey } = position ?? {};
    // A query continues at the endpoint where it began: a continuation is valid only there.
    const isSecondary = position?.isSecondary ?? this.#client.prefersSecondary(options);
    const parameters = {
      $filter: query.filter && printFilter(checkFilter(query.filter)),
      $select:
        query.select && [...new Set(["PartitionKey", "RowKey", "Timestamp", ...query.select])].join(","),
      $top: query.top?.toString(),
      NextPartitionKey,
      NextRowKey,
    };
    const path = `${entityPath(checkTable(table))}()`;
    const response = await this.#client.send(
      { method: "GET", path, query: parameters, maxBytes: maxPageBytes, isWrite: false, isSecondary },
      options,
    );
    return { response, next: printToken(response, isSecondary) };
  }

  /** @throws StorageError `storage.malformed-response` */
  #parsePage(response: RawResponse, { select }: StoredQuery): readonly StoredEntity[] {
    const parsed = readResponse(response, (text) => this.#format.parsePage(text, select !== undefined));
    if (parsed === undefined) throw malformed("it contains no list of entities");
    return parsed;
  }

  async get(table: string, key: EntityKey, options?: RequestOptions): Promise<StoredEntity | undefined> {
    const path = entityPath(checkTable(table), key);
    try {
      const response = await this.#client.send({ method: "GET", path, isWrite: false }, options);
      const entity = readResponse(response, this.#format.parseEntity);
      if (entity === undefined) throw malformed("it is not an entity");
      const etag = textOf(response.headers["etag"]);
      const isAnnotated = entity["odata.etag"] !== undefined || etag === undefined;
      return isAnnotated ? entity : { ...entity, "odata.etag": etag };
    } catch (error) {
      const isMissing = StorageError.is(error) && missingCodes.has(error.serviceCode);
      if (isMissing) return undefined;
      throw error;
    }
  }

  async write(table: string, operation: WriteOperation, options?: RequestOptions): Promise<WriteResult> {
    checkTable(table);
    checkOperation(operation);
    const { method, tunnel } = methodOf(operation, this.#tunnel);
    const isInsert = operation.type === "insert";
    const path = entityPath(table, isInsert ? undefined : keyOfOperation(operation));
    const etag = conditionOf(operation);
    const headers = {
      ...(etag !== undefined && { "if-match": etag }),
      ...(tunnel !== undefined && { "x-http-method": tunnel }),
      ...(isInsert && { prefer: "return-no-content" }),
    };
    const id = isInsert ? "" : this.#client.url + path;
    const body = operation.type === "delete" ? undefined : this.#format.printEntity(operation.entity, id);
    const response = await this.#client.send(
      {
        method,
        path,
        headers,
        ...(body !== undefined && { body }),
        isWrite: true,
        success: isInsert ? [201, 204] : [204],
      },
      options,
    );
    const version = response.headers["etag"];
    return typeof version === "string" ? { etag: version } : {};
  }

  async transact(
    table: string,
    operations: readonly WriteOperation[],
    options?: RequestOptions,
  ): Promise<readonly WriteResult[]> {
    checkTable(table);
    checkOperations(operations);
    const target = { account: this.#client.url, format: this.#format, tunnel: this.#tunnel };
    const { contentType, body } = printTransaction(target, table, operations);
    const response = await this.#client.send(
      {
        method: "POST",
        path: "/$batch",
        contentType,
        body,
        maxBytes: maxTransactionBytes,
        isWrite: true,
        success: [202],
      },
      options,
    );
    return readTransactionResponse(response.bytes(), operations.length, requestIdOf(response.headers));
  }

  /** The transaction is printed as bytes, without parsing the encoder's output. */
  commit(
    table: string,
    operations: readonly WriteOperation[],
    options?: RequestOptions,
  ): Promise<readonly WriteResult[]> {
    return this.transact(table, operations, options);
  }

  async createTable(table: string, options?: RequestOptions): Promise<void> {
    const body = this.#format.printTable(checkNewTable(table));
    const headers = { prefer: "return-no-content" };
    await this.#client.send(
      { method: "POST", path: tablePath(), body, headers, isWrite: true, success: [201, 204] },
      options,
    );
  }

  async deleteTable(table: string, options?: RequestOptions): Promise<void> {
    const { method, tunnel } = tunnelled("DELETE", this.#tunnel === "all");
    const headers = tunnel === undefined ? {} : { "x-http-method": tunnel };
    await this.#client.send(
      { method, path: tablePath(checkTable(table)), headers, isWrite: true, success: [204] },
      options,
    );
  }

  async listTables(options?: RequestOptions): Promise<readonly string[]> {
    const names: string[] = [];
    const tokens = new TokenWatch();
    let NextTableName: string | undefined;
    do {
      const response = await this.#client.send(
        { method: "GET", path: tablePath(), query: { NextTableName }, isWrite: false },
        options,
      );
      const found = readResponse(response, this.#format.parseTables);
      if (found === undefined) throw malformed("it contains no list of tables");
      names.push(...found);
      const next: string | undefined = textOf(response.headers["x-ms-continuation-nexttablename"]);
      if (next !== undefined && tokens.repeats(next)) throw malformed("it repeats a continuation");
      NextTableName = next;
    } while (NextTableName !== undefined);
    return names;
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** An invalid name would change the URL. */
export function checkTable(table: string): string {
  if (isReadableTable(table)) return table;
  throw StorageError.ofService("InvalidResourceName", shownTable(table));
}

/** The same check for a table that will be created: it must not be one of the service's own. */
function checkNewTable(table: string): string {
  if (isTableName(table)) return table;
  throw StorageError.ofService("InvalidResourceName", shownTable(table));
}

/** The declared methods, even if the class is changed later. */
const declared = portOf(RestStorage.prototype);
