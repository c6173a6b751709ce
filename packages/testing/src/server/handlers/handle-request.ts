import { isUtf8 } from "node:buffer";
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
import { type Admission, maxBodyBytes, type WireHead } from "../http/admission.ts";
import type { Pace } from "../http/pace.ts";
import type { Throttle } from "./throttle.ts";
import { pathInAccount } from "../wire/inner-http.ts";
import { parseQuery, parseResource, type Resource } from "../wire/parse-path.ts";
import type { ProtocolAnswer, ProtocolHead, ProtocolRequest } from "../wire/protocol-request.ts";
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
  /** What long work goes by. */
  readonly pace: Pace;
  /** What partitions are limited by; undefined for no limits. */
  readonly throttle: Throttle | undefined;
  /** Whether the storage hands out rows as bytes. */
  readonly hasBodies: boolean;
  /** Milliseconds since 1970, for signatures. */
  readonly now: () => number;
}

/** That of policies and properties, which have five entries at most. */
const maxSettingsBytes = 32 * 1024;

/**
 * Decides on a request by what it says before its body: no signature is about the body, so what a stranger sends need not be
 * kept. Never throws.
 */
export function admitRequest(wire: WireHead, service: Service): Admission {
  const { header, method } = wire;
  const rules = service.settings.properties.cors ?? [];
  let query: ReadonlyMap<string, string> = new Map();
  const withCors = (answer: ProtocolAnswer): ProtocolAnswer => ({
    ...answer,
    headers: { ...answer.headers, ...corsHeaders(rules, method, header) },
  });
  const refusalOf = (error: unknown): ProtocolAnswer =>
    withCors(faultAnswer(faultOf(error), { header, query }));
  try {
    const [path, encodedQuery] = splitUrl(wire.url);
    query = parseQuery(encodedQuery);
    if (method === "OPTIONS") return { refusal: { status: 200, headers: preflightHeaders(rules, header) } };
    const admitted = admit(wire, path, query, service);
    const { head } = admitted;
    return {
      maxBodyBytes: query.has("comp") ? maxSettingsBytes : maxBodyBytes,
      isScan: head.method === "GET" && head.resource.type === "entities" && !query.has("comp"),
      answer: async (body) => {
        try {
          return withCors(await answerRequest(admitted, body, service));
        } catch (error) {
          return error instanceof InjectedFault ? error : refusalOf(error);
        }
      },
    };
  } catch (error) {
    return { refusal: refusalOf(error) };
  }
}

/** A request whose sender is known, and may do it. */
interface AdmittedRequest {
  readonly head: ProtocolHead;
  readonly access: Access;
  readonly isSecondary: boolean;
}

/** @throws ServiceFault */
function admit(
  wire: WireHead,
  path: string,
  query: ReadonlyMap<string, string>,
  service: Service,
): AdmittedRequest {
  const { account, key, scheme, settings, now } = service;
  const authority = { account, key, scheme, now, policiesOf: (table: string) => settings.policiesOf(table) };
  const access = authorize({ ...wire, path, query }, authority);
  const { resource, isSecondary } = locate(path, account);
  const version = versionOf(wire.header, query);
  const base = `${scheme}://${wire.header("host") ?? ""}/${account}${isSecondary ? "-secondary" : ""}`;
  const method = methodOf(wire.method, wire.header);
  const head: ProtocolHead = { method, resource, query, header: wire.header, version, base };
  access.check(head);
  if (isSecondary && method !== "GET") throw new ServiceFault("InsufficientAccountPermissions");
  return { head, access, isSecondary };
}

async function answerRequest(
  { head, access, isSecondary }: AdmittedRequest,
  body: Buffer,
  service: Service,
): Promise<ProtocolAnswer> {
  // Read as text, other bytes would be stored as a character that nobody has sent.
  if (!isUtf8(body)) throw new ServiceFault("InvalidInput");
  const request: ProtocolRequest = { ...head, body: body.toString("utf8") };
  const { throttle, storage } = service;
  const limited =
    throttle === undefined
      ? service
      : { ...service, storage: throttle.limitRequest(storage), hasBodies: false };
  const answer = await route(request, access, isSecondary, limited);
  return { ...answer, headers: { "x-ms-version": head.version, ...answer.headers } };
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

/** A part of a batch is a request to the same account. To be called for each batch: what parts have in common is read once. */
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
    return { ...outer, method: methodOf(method, header), resource, query, header, body };
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

function methodOf(method: string, header: WireHead["header"]): string {
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
function versionOf(header: WireHead["header"], query: ReadonlyMap<string, string>): string {
  const version = query.get("api-version") ?? header("x-ms-version") ?? query.get("sv") ?? firstVersion;
  const time = /^20\d{2}-\d{2}-\d{2}$/.test(version) ? Date.parse(version) : Number.NaN;
  // By the real clock: the server's own may be set to any time.
  if (!(time <= Date.now())) throw new ServiceFault("InvalidHeaderValue");
  return version;
}
