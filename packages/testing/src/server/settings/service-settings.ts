import type { TableStorage } from "@partita/core";
import {
  loadXmlReader,
  parseAccessPolicies,
  parseServiceProperties,
  printAccessPolicies,
  printServiceProperties,
  printServiceStatistics,
} from "@partita/core/protocol";
import type { AccessPolicy, ServiceProperties } from "@partita/core/rest";
import { noContent, type ProtocolAnswer, type ProtocolRequest } from "../wire/protocol-request.ts";
import { policyTime } from "../wire/policy-time.ts";
import { ServiceFault } from "../wire/service-fault.ts";
import {
  foreignSettings,
  maxDocument,
  readSettings,
  removeSetting,
  type StoredSetting,
  writeSetting,
} from "./settings-table.ts";

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

/** What an account has beside its entities. It is read once, and stored with every change. */
export class ServiceSettings {
  readonly #storage: TableStorage;
  readonly #now: () => number;
  #properties = initialProperties;
  /** By table name in lower case. */
  readonly #policies = new Map<string, readonly AccessPolicy[]>();
  /** The change that is being stored, if any: one follows the other. */
  #changing: Promise<void> = Promise.resolve();

  private constructor(storage: TableStorage, now: () => number) {
    this.#storage = storage;
    this.#now = now;
  }

  /**
   * Reads what was set before.
   *
   * @param now - milliseconds since 1970
   * @throws StorageError `storage.foreign-settings`
   */
  static async read(storage: TableStorage, now: () => number): Promise<ServiceSettings> {
    const settings = new ServiceSettings(storage, now);
    const stored = await readSettings(storage);
    if (stored.length === 0) return settings;
    const reader = await loadXmlReader();
    try {
      for (const { type, name, document } of stored)
        if (type === "policies") settings.#policies.set(name, parseAccessPolicies(reader, document));
        else settings.#properties = { ...initialProperties, ...parseServiceProperties(reader, document) };
    } catch {
      throw foreignSettings(storage);
    }
    return settings;
  }

  get properties(): ServiceProperties {
    return this.#properties;
  }

  policiesOf(table: string): readonly AccessPolicy[] {
    return this.#policies.get(table.toLowerCase()) ?? [];
  }

  /** Drops the policies of a table that was deleted, or has begun anew. */
  async removePolicies(table: string): Promise<void> {
    if (this.#policies.has(table.toLowerCase())) await this.#setPolicies(table, []);
  }

  #setPolicies(table: string, policies: readonly AccessPolicy[]): Promise<void> {
    const name = table.toLowerCase();
    return this.#change(async () => {
      if (policies.length === 0) await removeSetting(this.#storage, { type: "policies", name });
      else await this.#store("policies", name, printAccessPolicies(policies));
      if (policies.length === 0) this.#policies.delete(name);
      else this.#policies.set(name, policies);
    });
  }

  /** Stores one change after the other, so that the last one answered is the one that is stored. */
  #change(change: () => Promise<void>): Promise<void> {
    const changed = this.#changing.then(change);
    this.#changing = changed.catch(() => undefined);
    return changed;
  }

  async #store(type: StoredSetting["type"], name: string, document: string): Promise<void> {
    if (document.length > maxDocument) throw new ServiceFault("InvalidXmlDocument");
    await writeSetting(this.#storage, { type, name, document });
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
    await this.#change(async () => {
      const changed = { ...this.#properties, ...properties };
      await this.#store("properties", "", printServiceProperties(changed));
      this.#properties = changed;
    });
    return { status: 202, headers: {} };
  }

  /** `comp=acl` of a table that exists. */
  async handlePolicies({ method, body }: ProtocolRequest, table: string): Promise<ProtocolAnswer> {
    if (method === "GET") return xml(printAccessPolicies(this.policiesOf(table)));
    if (method !== "PUT") throw new ServiceFault("UnsupportedHttpVerb");
    const policies = body === "" ? [] : await readXml((read) => parseAccessPolicies(read, body));
    await this.#setPolicies(table, checkPolicies(policies));
    return noContent();
  }
}

/** The policies with their times as the service writes them. @throws ServiceFault `InvalidXmlDocument` */
function checkPolicies(policies: readonly AccessPolicy[]): AccessPolicy[] {
  const ids = new Set(policies.map(({ id }) => id));
  const isLegal =
    policies.length <= maxPolicies &&
    ids.size === policies.length &&
    policies.every(
      ({ id, permissions = "" }) => id.length <= maxPolicyId && /^[raud]{0,4}$/.test(permissions),
    );
  if (!isLegal) throw new ServiceFault("InvalidXmlDocument");
  return policies.map(({ startsAt, expiresAt, ...rest }) => ({
    ...rest,
    ...(startsAt !== undefined && { startsAt: timeOf(startsAt) }),
    ...(expiresAt !== undefined && { expiresAt: timeOf(expiresAt) }),
  }));
}

function timeOf(text: string): string {
  const time = policyTime(text);
  if (time === undefined) throw new ServiceFault("InvalidXmlDocument");
  return time;
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
