import type { TableStorage } from "@partita/core";
import type { Access } from "../authorization/access.ts";
import { InjectedFault } from "../../faults/injected-fault.ts";
import { authorize } from "../authorization/authorize.ts";
import type { SignatureKey } from "../authorization/signature-key.ts";
import { corsHeaders, preflightHeaders } from "../authorization/cors.ts";
import { faultAnswer } from "../wire/fault-answer.ts";
import { handleBatch, innerHeader, type InnerRequest } from "./handle-batch.ts";
import { handleEntities } from "./handle-entities.ts";
import { handleTables } from "./handle-tables.ts";
import { pathInAccount } from "../wire/inner-http.ts";
import { parseQuery, parseResource, type Resource } from "../wire/parse-path.ts";
import type { ProtocolAnswer, ProtocolRequest } from "../wire/protocol-request.ts";
import { faultOf, ServiceFault } from "../wire/service-fault.ts";
import type { ServiceSettings } from "../settings/service-settings.ts";

/** What a server serves. */
export interface Service {
  readonly storage: TableStorage;
  readonly account: string;
  readonly key: SignatureKey;
  readonly settings: ServiceSettings;
  /** What it is reached over. */
  readonly scheme: "http" | "https";
  readonly pageSize: number;
  readonly emptyPages: boolean;
  /** Milliseconds since 1970, for signatures. */
  readonly now: () => number;
}

/** A request as it came over the wire. */
export interface WireRequest {
  readonly method: string;
  /** Path and query as they were sent. */
  readonly url: string;
  readonly header: (name: string) => string | undefined;
  readonly body: string;
  /** The client's address. */
  readonly address: string;
}

/** Answers a request, or says which fault to make of it; never rejects. */
export async function handleRequest(
  wire: WireRequest,
  service: Service,
): Promise<ProtocolAnswer | InjectedFault> {
  const { header, method } = wire;
  const rules = service.settings.properties.cors ?? [];
  let query: ReadonlyMap<string, string> = new Map();
  try {
    const [path, encodedQuery] = splitUrl(wire.url);
    query = parseQuery(encodedQuery);
    if (method === "OPTIONS") return { status: 200, headers: preflightHeaders(rules, header) };
    const answer = await answerRequest(wire, path, query, service);
    return { ...answer, headers: { ...answer.headers, ...corsHeaders(rules, method, header) } };
  } catch (error) {
    if (error instanceof InjectedFault) return error;
    const answer = faultAnswer(faultOf(error), { header, query });
    return { ...answer, headers: { ...answer.headers, ...corsHeaders(rules, method, header) } };
  }
}

async function answerRequest(
  wire: WireRequest,
  path: string,
  query: ReadonlyMap<string, string>,
  service: Service,
): Promise<ProtocolAnswer> {
  const { account, key, scheme, settings, now } = service;
  const authority = { account, key, scheme, now, policiesOf: (table: string) => settings.policiesOf(table) };
  const access = authorize({ ...wire, path, query }, authority);
  const { resource, isSecondary } = locate(path, account);
  const version = versionOf(wire.header, query);
  const base = `${scheme}://${wire.header("host") ?? ""}/${account}${isSecondary ? "-secondary" : ""}`;
  const request: ProtocolRequest = {
    method: methodOf(wire.method, wire.header),
    resource,
    query,
    header: wire.header,
    body: wire.body,
    version,
    base,
  };
  access.check(request);
  if (isSecondary && request.method !== "GET") throw new ServiceFault("InsufficientAccountPermissions");
  const answer = await route(request, access, isSecondary, service);
  return { ...answer, headers: { "x-ms-version": version, ...answer.headers } };
}

async function route(
  request: ProtocolRequest,
  access: Access,
  isSecondary: boolean,
  service: Service,
): Promise<ProtocolAnswer> {
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
        // A table that is not there has no policies.
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

/** A part of a batch is a request to the same account. */
function innerRequest(account: string): InnerRequest {
  return ({ method, url, headers, body }, outer) => {
    const [path, encodedQuery] = splitUrl(pathInAccount(url, account));
    const query = parseQuery(encodedQuery);
    const header = innerHeader(headers, outer);
    return { ...outer, method: methodOf(method, header), resource: parseResource(path), query, header, body };
  };
}

/** What a path names, below the account that it begins with. */
function locate(
  path: string,
  account: string,
): { readonly resource: Resource; readonly isSecondary: boolean } {
  for (const [name, isSecondary] of [
    [account, false],
    [`${account}-secondary`, true],
  ] as const) {
    const prefix = `/${name}`;
    if (path === prefix || path.startsWith(`${prefix}/`))
      return { resource: parseResource(path.slice(prefix.length)), isSecondary };
  }
  throw new ServiceFault("InvalidUri");
}

function splitUrl(url: string): readonly [path: string, query: string] {
  const at = url.indexOf("?");
  return at < 0 ? [url, ""] : [url.slice(0, at), url.slice(at + 1)];
}

/** Methods that `X-HTTP-Method` may stand for. */
const tunnelled = new Set(["MERGE", "PUT", "DELETE", "PATCH"]);

function methodOf(method: string, header: WireRequest["header"]): string {
  const named = header("x-http-method");
  if (named === undefined) return method;
  if (named.includes(",")) throw new ServiceFault("XMethodIncorrectCount");
  if (method !== "POST") throw new ServiceFault("XMethodNotUsingPost");
  if (!tunnelled.has(named)) throw new ServiceFault("XMethodIncorrectValue");
  return named;
}

/** Before versions were named. */
const firstVersion = "2008-10-27";

/** The version a request speaks: its own, or its signature's. @throws ServiceFault `InvalidHeaderValue` for none of today */
function versionOf(header: WireRequest["header"], query: ReadonlyMap<string, string>): string {
  const version = query.get("api-version") ?? header("x-ms-version") ?? query.get("sv") ?? firstVersion;
  const time = /^20\d{2}-\d{2}-\d{2}$/.test(version) ? Date.parse(version) : Number.NaN;
  // By the real clock: the server's own may be set to any time.
  if (!(time <= Date.now())) throw new ServiceFault("InvalidHeaderValue");
  return version;
}
