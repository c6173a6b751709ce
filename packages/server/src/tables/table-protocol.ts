import type { TableStorage } from "@partita/core";
import type { Access } from "./access.ts";
import { tableSignatures } from "./table-signatures.ts";
import { tableForms } from "../wire/response-forms.ts";
import { maxBodyBytes, type WireHead } from "../http/admission.ts";
import { maxSettingsBytes, splitUrl, type WireProtocol, type WireService } from "../http/admit-request.ts";
import { handleBatch, innerHeader, type InnerRequest } from "./handle-batch.ts";
import { handleEntities } from "./handle-entities.ts";
import { handleTables } from "./handle-tables.ts";
import { isOwnClient } from "./account-tables.ts";
import type { Pace } from "../http/pace.ts";
import type { Throttle } from "./throttle.ts";
import { pathInAccount } from "../wire/inner-http.ts";
import { parseQuery, parseResource, type Resource } from "../wire/parse-path.ts";
import type { ProtocolResponse, ProtocolHead, ProtocolRequest } from "../wire/protocol-request.ts";
import { ServiceFault } from "../wire/service-fault.ts";

/** The state of a table server. */
export interface TableService extends WireService {
  /** The account's tables, as Partita's client sees them. */
  readonly storage: TableStorage;
  /** The account's tables without Partita's internal ones. */
  readonly foreignTables: TableStorage;
  readonly pageSize: number;
  readonly emptyPages: boolean;
  /** Splits long work into pieces. */
  readonly pace: Pace;
  /** The limits of partitions; undefined without limits. */
  readonly throttle: Throttle | undefined;
}

/** The protocol of a table service. */
export const tableProtocol = (service: TableService): WireProtocol<Resource, Access> => ({
  forms: tableForms,
  signatures: tableSignatures((table) => service.settings.policiesOf(table)),
  parseResource,
  methodOf,
  isRead: ({ method }) => method === "GET",
  limitsOf: ({ method, resource, query }) => ({
    maxBodyBytes: query.has("comp") ? maxSettingsBytes : maxBodyBytes,
    isScan: method === "GET" && resource.type === "entities" && !query.has("comp"),
  }),
  response(request, { access, isSecondary }) {
    const { throttle } = service;
    const isOwn = isOwnClient(request.header("user-agent"));
    const storage = isOwn ? service.storage : service.foreignTables;
    const shown = throttle?.limitRequest(storage) ?? storage;
    return route(request, access, isSecondary, { ...service, storage: shown });
  },
});

async function route(
  request: ProtocolRequest,
  access: Access,
  isSecondary: boolean,
  service: TableService,
): Promise<ProtocolResponse> {
  const { resource, query } = request;
  switch (resource.type) {
    case "service":
      return service.settings.handleService(request, isSecondary);
    case "batch":
      return handleBatch(request, access, service, innerRequest(service.account));
    case "tables":
    case "table":
      return handleTables(request, service);
    case "entities":
      if (query.get("comp") === "acl") {
        // Check that the table exists: a missing one has no policies.
        await service.storage.query(resource.table, { top: 1 });
        return service.settings.handlePolicies(request, resource.table);
      }
      return handleEntities(request, access, service);
    case "entity":
      return handleEntities(request, access, service);
    default:
      return resource satisfies never;
  }
}

/**
 * Returns a function that reads the parts of a batch as requests to the same account. Call it once per batch, since the
 * parts share data that is read once.
 */
function innerRequest(account: string): InnerRequest {
  let last: { readonly url: string; readonly resource: Resource; readonly query: ProtocolHead["query"] };
  let lastHeaders: ReadonlyMap<string, string>;
  let header: ProtocolHead["header"];
  return ({ method, url, headers, body }, outer) => {
    if (url !== last?.url) {
      const [path, encodedQuery] = splitUrl(pathInAccount(url, account));
      const query = parseQuery(encodedQuery);
      last = { url, query, resource: parseResource(path) };
    }
    if (headers !== lastHeaders) header = innerHeader((lastHeaders = headers), outer);
    const { resource, query } = last;
    // Leave out the text of the whole body, which parts must not use.
    const { headers: everyHeader, version, base } = outer;
    return {
      headers: everyHeader,
      version,
      base,
      method: methodOf(method, header),
      resource,
      query,
      header,
      body,
    };
  };
}

/** Methods that `X-HTTP-Method` can name. */
const tunnelled = new Set(["MERGE", "PUT", "DELETE", "PATCH"]);

function methodOf(method: string, header: WireHead["header"]): string {
  const named = header("x-http-method");
  if (named === undefined) return method;
  if (named.includes(",")) throw new ServiceFault("XMethodIncorrectCount");
  if (method !== "POST") throw new ServiceFault("XMethodNotUsingPost");
  if (!tunnelled.has(named)) throw new ServiceFault("XMethodIncorrectValue");
  return named;
}
