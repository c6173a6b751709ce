import { isUtf8 } from "node:buffer";
import type { CorsRule } from "@partita/account";
import { type Authority, authorize, type Signatures } from "../authorization/authorize.ts";
import type { RequestAccess } from "../authorization/request-access.ts";
import { corsHeaders, preflightHeaders } from "../authorization/cors.ts";
import { type Admission, maxBodyBytes, type WireHead } from "./admission.ts";
import { isConnectionFault } from "../wire/connection-fault.ts";
import type { ServiceSettings } from "../settings/service-settings.ts";
import { parseQuery } from "../wire/parse-path.ts";
import type { ResponseForms } from "../wire/response-forms.ts";
import type { ProtocolResponse, ProtocolHead, ProtocolRequest } from "../wire/protocol-request.ts";
import { numberIn } from "../wire/query-numbers.ts";
import { requestVersion } from "../wire/request-version.ts";
import { faultOf, ServiceFault } from "../wire/service-fault.ts";

/** The common parts of every service: an account, its key, and settings. */
export interface WireService extends Authority {
  readonly settings: ServiceSettings;
  /** A cheap read of the data, which shows whether the storage responds. */
  readonly probe: (signal: AbortSignal) => Promise<unknown>;
}

/** A request with proven access. */
export interface AdmittedRequest<Named, Access> {
  readonly head: ProtocolHead<Named>;
  readonly access: Access;
  readonly isSecondary: boolean;
}

/** The parts of the protocol that differ between services. */
export interface WireProtocol<Named, Access extends RequestAccess<Named>> {
  readonly forms: ResponseForms;
  readonly signatures: Signatures<Access>;
  /** Parses the path after the account. @throws ServiceFault */
  readonly parseResource: (path: string) => Named;
  /** The effective method of a request. @throws ServiceFault */
  readonly methodOf: (method: string, header: WireHead["header"]) => string;
  /** Whether a request changes nothing: a secondary refuses all others. */
  readonly isRead: (head: ProtocolHead<Named>) => boolean;
  readonly limitsOf: (head: ProtocolHead<Named>) => {
    readonly maxBodyBytes: number;
    readonly isScan: boolean;
    /** Whether the body is binary; each byte then becomes one character. */
    readonly isBinary?: boolean;
  };
  /** @throws ServiceFault, or any error of the service's store */
  readonly response: (
    request: ProtocolRequest<Named>,
    admitted: AdmittedRequest<Named, Access>,
  ) => Promise<ProtocolResponse>;
}

/** Maximum size of policies and properties, in bytes; they have at most five entries. */
export const maxSettingsBytes: number = 32 * 1024;

/**
 * Decides about a request from its head. Signatures do not cover the body, so an unauthorized request is refused
 * without storing its body. Never rejects.
 */
export async function admitRequest<Named, Access extends RequestAccess<Named>>(
  wire: WireHead,
  service: WireService,
  protocol: WireProtocol<Named, Access>,
): Promise<Admission> {
  const { header, method } = wire;
  let rules: readonly CorsRule[] = [];
  let query: ReadonlyMap<string, string> = new Map();
  const withCors = (response: ProtocolResponse): ProtocolResponse => ({
    ...response,
    headers: { ...response.headers, ...corsHeaders(rules, method, header) },
  });
  const refusalOf = (error: unknown): ProtocolResponse =>
    withCors(protocol.forms.refuse(faultOf(error), { header, query }));
  try {
    const [path, encodedQuery] = splitUrl(wire.url);
    // Before the request is executed: it must not be applied if the rules cannot be read.
    if (header("origin") !== undefined) rules = await service.settings.corsRules();
    query = parseQuery(encodedQuery);
    if (method === "OPTIONS") return { refusal: { status: 200, headers: preflightHeaders(rules, header) } };
    const admitted = await admit(wire, path, query, service, protocol);
    return {
      ...protocol.limitsOf(admitted.head),
      response: async (body) => {
        try {
          return withCors(await respondTo(admitted, body, protocol));
        } catch (error) {
          return isConnectionFault(error) ? error : refusalOf(error);
        }
      },
    };
  } catch (error) {
    if (isConnectionFault(error)) return { maxBodyBytes, isScan: false, response: async () => error };
    return { refusal: refusalOf(error) };
  }
}

/** @throws ServiceFault */
async function admit<Named, Access extends RequestAccess<Named>>(
  wire: WireHead,
  path: string,
  query: ReadonlyMap<string, string>,
  service: WireService,
  protocol: WireProtocol<Named, Access>,
): Promise<AdmittedRequest<Named, Access>> {
  const { account, scheme } = service;
  const access = await authorize({ ...wire, path, query }, service, protocol.signatures);
  const { resource, isSecondary } = locate(path, account, protocol.parseResource);
  const version = requestVersion({ header: wire.header, query }, protocol.forms.initialVersion);
  // Only checked, not used.
  numberIn(query, "timeout", { least: 0, most: Number.MAX_SAFE_INTEGER });
  const base = `${scheme}://${wire.header("host") ?? ""}/${account}${isSecondary ? "-secondary" : ""}`;
  const method = protocol.methodOf(wire.method, wire.header);
  const head = { method, resource, query, header: wire.header, headers: wire.headers, version, base };
  access.check(head);
  if (isSecondary && !protocol.isRead(head)) throw new ServiceFault("InsufficientAccountPermissions");
  return { head, access, isSecondary };
}

async function respondTo<Named, Access extends RequestAccess<Named>>(
  admitted: AdmittedRequest<Named, Access>,
  body: Buffer,
  protocol: WireProtocol<Named, Access>,
): Promise<ProtocolResponse> {
  // Decoded as text, invalid bytes would be stored as a replacement character.
  const { head } = admitted;
  const isBinary = protocol.limitsOf(head).isBinary === true;
  if (!isBinary && !isUtf8(body)) throw new ServiceFault("InvalidInput");
  let text: string | undefined;
  const request: ProtocolRequest<Named> = {
    ...head,
    bytes: body,
    get body() {
      return (text ??= body.toString(isBinary ? "latin1" : "utf8"));
    },
  };
  return protocol.response(request, admitted);
}

/** Splits a path into its account and its resource. */
function locate<Named>(
  path: string,
  account: string,
  parseResource: (path: string) => Named,
): { readonly resource: Named; readonly isSecondary: boolean } {
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

export function splitUrl(url: string): readonly [path: string, query: string] {
  const at = url.indexOf("?");
  return at < 0 ? [url, ""] : [url.slice(0, at), url.slice(at + 1)];
}
