import {
  type AccessPolicy,
  loadXmlReader,
  parseAccessPolicies,
  parseServiceProperties,
  printAccessPolicies,
  printServiceProperties,
  printServiceStatistics,
  type ServiceProperties,
} from "@partita/core/rest";
import { noContent, type ProtocolAnswer, type ProtocolRequest } from "../wire/protocol-request.ts";
import { ServiceFault } from "../wire/service-fault.ts";

const initialProperties: ServiceProperties = {
  logging: { version: "1.0", read: false, write: false, delete: false },
  hourMetrics: { version: "1.0", enabled: false },
  minuteMetrics: { version: "1.0", enabled: false },
  cors: [],
};

/** Source: learn.microsoft.com "Set Table Service Properties", "Define a stored access policy". */
const maxRules = 5;
const maxPolicies = 5;
const maxPolicyId = 64;

const corsMethods = new Set([
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "MERGE",
  "DELETE",
  "OPTIONS",
  "CONNECT",
  "TRACE",
]);

const isTime = (text: string | undefined): boolean => text === undefined || !Number.isNaN(Date.parse(text));

/** What an account has beside its entities. It lives as long as the server. */
export class ServiceSettings {
  readonly #now: () => number;
  #properties = initialProperties;
  /** By table name in lower case. */
  readonly #policies = new Map<string, readonly AccessPolicy[]>();

  /** @param now - milliseconds since 1970 */
  constructor(now: () => number) {
    this.#now = now;
  }

  get properties(): ServiceProperties {
    return this.#properties;
  }

  policiesOf(table: string): readonly AccessPolicy[] {
    return this.#policies.get(table.toLowerCase()) ?? [];
  }

  forgetTable(table: string): void {
    this.#policies.delete(table.toLowerCase());
  }

  /** `restype=service&comp=properties` and `comp=stats`. */
  async handleService(
    { method, query, body }: ProtocolRequest,
    isSecondary: boolean,
  ): Promise<ProtocolAnswer> {
    if (query.get("restype") !== "service") throw new ServiceFault("InvalidQueryParameterValue");
    const comp = query.get("comp");
    if (comp === "stats" && method === "GET") {
      // Only the secondary knows how far it is.
      if (!isSecondary) throw new ServiceFault("InvalidQueryParameterValue");
      return xml(printServiceStatistics({ status: "live", lastSyncTime: new Date(this.#now()) }));
    }
    if (comp !== "properties") throw new ServiceFault("InvalidQueryParameterValue");
    if (method === "GET") return xml(printServiceProperties(this.#properties));
    if (method !== "PUT") throw new ServiceFault("UnsupportedHttpVerb");
    const properties = await readXml((read) => parseServiceProperties(read, body));
    const rules = properties.cors ?? [];
    const isLegal =
      rules.length <= maxRules &&
      rules.every(({ allowedMethods }) => allowedMethods.every((method) => corsMethods.has(method)));
    if (!isLegal) throw new ServiceFault("InvalidXmlDocument");
    this.#properties = { ...this.#properties, ...properties };
    return { status: 202, headers: {} };
  }

  /** `comp=acl` of a table that exists. */
  async handlePolicies({ method, body }: ProtocolRequest, table: string): Promise<ProtocolAnswer> {
    if (method === "GET") return xml(printAccessPolicies(this.policiesOf(table)));
    if (method !== "PUT") throw new ServiceFault("UnsupportedHttpVerb");
    const policies = body === "" ? [] : await readXml((read) => parseAccessPolicies(read, body));
    const ids = new Set(policies.map(({ id }) => id));
    const isLegal =
      policies.length <= maxPolicies &&
      ids.size === policies.length &&
      policies.every(
        ({ id, permissions = "", startsAt, expiresAt }) =>
          id.length <= maxPolicyId && /^[raud]*$/.test(permissions) && isTime(startsAt) && isTime(expiresAt),
      );
    if (!isLegal) throw new ServiceFault("InvalidXmlDocument");
    this.#policies.set(table.toLowerCase(), policies);
    return noContent();
  }
}

async function readXml<Result>(
  parse: (read: Awaited<ReturnType<typeof loadXmlReader>>) => Result,
): Promise<Result> {
  const read = await loadXmlReader();
  try {
    return parse(read);
  } catch {
    throw new ServiceFault("InvalidXmlDocument");
  }
}

const xml = (body: string): ProtocolAnswer => ({
  status: 200,
  headers: { "content-type": "application/xml" },
  body,
});
