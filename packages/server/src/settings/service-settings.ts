import type { TableStorage } from "@partita/core";
import { canonicalDateTime } from "@partita/core/protocol";
import {
  parseAccessPolicies,
  parseServiceProperties,
  printAccessPolicies,
  printServiceProperties,
  printServiceStatistics,
} from "@partita/account/protocol";
import type { AccessPolicy, CorsRule, ServiceProperties } from "@partita/account";
import { noContent, type ProtocolResponse, type ProtocolRequest } from "../wire/protocol-request.ts";
import { orInvalidXml, xmlResponse } from "../wire/xml-document.ts";
import { ServiceFault } from "../wire/service-fault.ts";
import {
  maxDocument,
  parseDocument,
  readSetting,
  removeSetting,
  replaceSetting,
  type SettingType,
  type StoredSetting,
  writeSetting,
} from "./settings-table.ts";
import { sharedRead } from "./shared-read.ts";

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

/** Changes of properties that may be repeated because other servers change them too. */
const maxAttempts = 100;

/**
 * The policies and properties of a service. Every request that needs them reads them from the storage, so all servers
 * over one storage have the same.
 */
export class ServiceSettings {
  readonly #storage: TableStorage;
  readonly #names: SettingNames;
  readonly #now: () => number;
  /** Reads the rules for web pages of other origins. Every request with an `Origin` header needs them. */
  readonly corsRules: () => Promise<readonly CorsRule[]>;

  /** @param now - returns milliseconds since 1970 */
  constructor(storage: TableStorage, names: SettingNames, now: () => number) {
    this.#storage = storage;
    this.#names = names;
    this.#now = now;
    this.corsRules = sharedRead(async () => propertiesOf(await this.#readProperties()).cors ?? []);
  }

  async policiesOf(of: string): Promise<readonly AccessPolicy[]> {
    const stored = await this.readPolicies(of);
    return stored === undefined ? [] : parseDocument(stored, parseAccessPolicies);
  }

  /** The stored policies of a table or queue; undefined if it has none. */
  readPolicies(of: string): Promise<StoredSetting | undefined> {
    return readSetting(this.#storage, { type: this.#names.policies, name: of.toLowerCase() });
  }

  /**
   * Removes the policies of a table or queue that no longer exists. It keeps those that a client of another server has
   * set meanwhile for a new one with its name.
   *
   * @param former - the policies that were read before it was deleted, or before the new one was created
   */
  async removePolicies(former: StoredSetting | undefined): Promise<void> {
    if (former !== undefined) await removeSetting(this.#storage, former);
  }

  #readProperties(): Promise<StoredSetting | undefined> {
    return readSetting(this.#storage, { type: this.#names.properties, name: "" });
  }

  /** Replaces the given sections. */
  async #changeProperties(given: ServiceProperties): Promise<void> {
    const key = { type: this.#names.properties, name: "" };
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const former = await this.#readProperties();
      const document = checkedDocument(printServiceProperties({ ...propertiesOf(former), ...given }));
      if ((await replaceSetting(this.#storage, key, document, former)) !== undefined) return;
    }
    throw new ServiceFault("ServerBusy");
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
    if (method === "GET") {
      const stored = await this.#readProperties();
      return xmlResponse(printServiceProperties(propertiesOf(stored)));
    }
    if (method !== "PUT") throw new ServiceFault("UnsupportedHttpVerb");
    const properties = orInvalidXml(() => parseServiceProperties(body));
    const rules = properties.cors ?? [];
    const isLegal =
      rules.length <= maxRules &&
      rules.every(({ allowedMethods }) => allowedMethods.every((method) => corsMethods.has(method)));
    if (!isLegal) throw new ServiceFault("InvalidXmlDocument");
    await this.#changeProperties(properties);
    return { status: 202, headers: {} };
  }

  /** Handles `comp=acl` of an existing table or queue. */
  async handlePolicies({ method, body }: ProtocolRequest<unknown>, of: string): Promise<ProtocolResponse> {
    if (method === "GET" || method === "HEAD")
      return xmlResponse(printAccessPolicies(await this.policiesOf(of)));
    if (method !== "PUT") throw new ServiceFault("UnsupportedHttpVerb");
    const given = body === "" ? [] : orInvalidXml(() => parseAccessPolicies(body));
    const policies = checkPolicies(given, this.#names.permissions);
    const key = { type: this.#names.policies, name: of.toLowerCase() };
    if (policies.length === 0) await removeSetting(this.#storage, key);
    else await writeSetting(this.#storage, key, checkedDocument(printAccessPolicies(policies)));
    return noContent();
  }
}

const propertiesOf = (stored: StoredSetting | undefined): ServiceProperties => ({
  ...initialProperties,
  ...(stored !== undefined && parseDocument(stored, parseServiceProperties)),
});

/** @throws ServiceFault `InvalidXmlDocument` for a document that cannot be stored */
function checkedDocument(document: string): string {
  if (document.length > maxDocument) throw new ServiceFault("InvalidXmlDocument");
  return document;
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
