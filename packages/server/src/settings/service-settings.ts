import type { TableStorage } from "@partita/core";
import { canonicalDateTime } from "@partita/core/protocol";
import {
  parseAccessPolicies,
  parseServiceProperties,
  printAccessPolicies,
  printServiceProperties,
  printServiceStatistics,
} from "@partita/account/protocol";
import type { AccessPolicy, ServiceProperties } from "@partita/account";
import { noContent, type ProtocolResponse, type ProtocolRequest } from "../wire/protocol-request.ts";
import { orInvalidXml, xmlResponse } from "../wire/xml-document.ts";
import { Semaphore } from "@partita/core/internal";
import { ServiceFault } from "../wire/service-fault.ts";
import {
  foreignSettings,
  maxDocument,
  readSettings,
  removeSetting,
  type SettingType,
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

/** The names for the settings of one service of an account. */
export interface SettingNames {
  readonly properties: SettingType;
  readonly policies: SettingType;
  /** The permissions that a policy may have. */
  readonly permissions: string;
}

export const tableSettings: SettingNames = {
  properties: "properties",
  policies: "policies",
  permissions: "raud",
};

/** The policies and properties of a service. They are read once, and stored on every change. */
export class ServiceSettings {
  readonly #storage: TableStorage;
  readonly #names: SettingNames;
  readonly #now: () => number;
  #properties = initialProperties;
  /** By the name of the table, in lower case, or of the queue. */
  readonly #policies = new Map<string, readonly AccessPolicy[]>();
  /** Stores changes one after another, so the last acknowledged one is stored. */
  readonly #changes = new Semaphore(1);

  private constructor(storage: TableStorage, names: SettingNames, now: () => number) {
    this.#storage = storage;
    this.#names = names;
    this.#now = now;
  }

  /**
   * Reads the stored settings.
   *
   * @param now - returns milliseconds since 1970
   * @throws StorageError `storage.foreign-settings`
   */
  static async read(storage: TableStorage, names: SettingNames, now: () => number): Promise<ServiceSettings> {
    const settings = new ServiceSettings(storage, names, now);
    const stored = await readSettings(storage);
    if (stored.length === 0) return settings;
    try {
      for (const { type, name, document } of stored)
        if (type === names.policies) settings.#policies.set(name, parseAccessPolicies(document));
        else if (type === names.properties)
          settings.#properties = { ...initialProperties, ...parseServiceProperties(document) };
    } catch {
      throw foreignSettings(storage);
    }
    return settings;
  }

  get properties(): ServiceProperties {
    return this.#properties;
  }

  policiesOf(of: string): readonly AccessPolicy[] {
    return this.#policies.get(of.toLowerCase()) ?? [];
  }

  /** Removes the policies of a table or queue that was deleted or created again. */
  async removePolicies(of: string): Promise<void> {
    if (this.#policies.has(of.toLowerCase())) await this.#setPolicies(of, []);
  }

  #setPolicies(of: string, policies: readonly AccessPolicy[]): Promise<void> {
    const name = of.toLowerCase();
    const { policies: type } = this.#names;
    return this.#changes.run(async () => {
      if (policies.length === 0) await removeSetting(this.#storage, { type, name });
      else await this.#store(type, name, printAccessPolicies(policies));
      if (policies.length === 0) this.#policies.delete(name);
      else this.#policies.set(name, policies);
    });
  }

  async #store(type: SettingType, name: string, document: string): Promise<void> {
    if (document.length > maxDocument) throw new ServiceFault("InvalidXmlDocument");
    await writeSetting(this.#storage, { type, name, document });
  }

  /** Handles `restype=service&comp=properties` and `comp=stats`. */
  async handleService(
    { method, query, body }: ProtocolRequest<unknown>,
    isSecondary: boolean,
  ): Promise<ProtocolResponse> {
    if (query.get("restype") !== "service") throw new ServiceFault("InvalidQueryParameterValue");
    const comp = query.get("comp");
    if (comp === "stats" && method === "GET") {
      // Only the secondary knows its replication state.
      if (!isSecondary) throw new ServiceFault("InvalidQueryParameterValue");
      return xmlResponse(printServiceStatistics({ status: "live", lastSyncTime: new Date(this.#now()) }));
    }
    if (comp !== "properties") throw new ServiceFault("InvalidQueryParameterValue");
    if (method === "GET") return xmlResponse(printServiceProperties(this.#properties));
    if (method !== "PUT") throw new ServiceFault("UnsupportedHttpVerb");
    const properties = orInvalidXml(() => parseServiceProperties(body));
    const rules = properties.cors ?? [];
    const isLegal =
      rules.length <= maxRules &&
      rules.every(({ allowedMethods }) => allowedMethods.every((method) => corsMethods.has(method)));
    if (!isLegal) throw new ServiceFault("InvalidXmlDocument");
    await this.#changes.run(async () => {
      const changed = { ...this.#properties, ...properties };
      await this.#store(this.#names.properties, "", printServiceProperties(changed));
      this.#properties = changed;
    });
    return { status: 202, headers: {} };
  }

  /** Handles `comp=acl` of an existing table or queue. */
  async handlePolicies({ method, body }: ProtocolRequest<unknown>, of: string): Promise<ProtocolResponse> {
    if (method === "GET" || method === "HEAD") return xmlResponse(printAccessPolicies(this.policiesOf(of)));
    if (method !== "PUT") throw new ServiceFault("UnsupportedHttpVerb");
    const policies = body === "" ? [] : orInvalidXml(() => parseAccessPolicies(body));
    await this.#setPolicies(of, checkPolicies(policies, this.#names.permissions));
    return noContent();
  }
}

/** Checks policies, and formats their times like the service. @throws ServiceFault `InvalidXmlDocument` */
function checkPolicies(policies: readonly AccessPolicy[], allowed: string): AccessPolicy[] {
  const ids = new Set(policies.map(({ id }) => id));
  const isLegal =
    policies.length <= maxPolicies &&
    ids.size === policies.length &&
    policies.every(
      ({ id, permissions = "" }) =>
        id.length <= maxPolicyId &&
        permissions.length <= allowed.length &&
        permissions.split("").every((letter) => allowed.includes(letter)),
    );
  if (!isLegal) throw new ServiceFault("InvalidXmlDocument");
  return policies.map(({ startsAt, expiresAt, ...rest }) => ({
    ...rest,
    ...(startsAt !== undefined && { startsAt: timeOf(startsAt) }),
    ...(expiresAt !== undefined && { expiresAt: timeOf(expiresAt) }),
  }));
}

function timeOf(text: string): string {
  const time = canonicalDateTime(text.trim());
  if (time === undefined) throw new ServiceFault("InvalidXmlDocument");
  return time;
}
