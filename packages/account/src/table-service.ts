import { type RestOptions, StorageError } from "@partita/core";
import {
  type CheckOptions,
  checkRuntime,
  defineOptions,
  forwardStorage,
  restChecks,
} from "@partita/core/internal";
import { checkTable, openRestStorage, type RestRequest } from "@partita/core/internal/azure";
import { entityPath, parseDateTime } from "@partita/core/protocol";
import type { RequestOptions, TableStorage } from "@partita/core/storage";
import {
  type AccessPolicy,
  parseAccessPolicies,
  parseServiceProperties,
  parseServiceStatistics,
  printAccessPolicies,
  printServiceProperties,
  type ServiceProperties,
  type ServiceStatistics,
} from "./service-xml.ts";

/** A table service with its account operations. Cosmos DB has none of these methods. */
export interface TableService extends TableStorage {
  getProperties(options?: RequestOptions): Promise<ServiceProperties>;
  /** Sets the given sections. Other sections don't change. */
  setProperties(properties: ServiceProperties, options?: RequestOptions): Promise<void>;
  /**
   * Reads the statistics from the secondary. Needs an account with read access to the secondary.
   *
   * @throws StorageError `storage.no-secondary`
   */
  getStatistics(options?: RequestOptions): Promise<ServiceStatistics>;
  getAccessPolicies(table: string, options?: RequestOptions): Promise<readonly AccessPolicy[]>;
  /** Replaces a table's policies: 5 at most. @throws StorageError `storage.access-policy` */
  setAccessPolicies(
    table: string,
    policies: readonly AccessPolicy[],
    options?: RequestOptions,
  ): Promise<void>;
}

const checkOptions: CheckOptions = defineOptions<RestOptions>(
  "openTableService(target, options)",
  restChecks,
  "storage.option",
);

/**
 * Opens a table service like `openStorage`, with access to its settings.
 *
 * @param target - a connection string, or the URL of the table endpoint
 * @throws StorageError `storage.connection-string`; OptionError `storage.option`
 */
export async function openTableService(target: string, options: RestOptions = {}): Promise<TableService> {
  checkRuntime();
  checkOptions(options);
  const { storage, client } = await openRestStorage(target, options);
  const ask = async (
    request: Omit<RestRequest, "method" | "isWrite">,
    requestOptions: RequestOptions | undefined,
  ): Promise<string> => {
    const response = await client.send(
      { ...request, method: "GET", headers, isWrite: false },
      requestOptions,
    );
    return response.text();
  };
  const set = async (
    request: Omit<RestRequest, "method" | "isWrite">,
    requestOptions: RequestOptions | undefined,
  ): Promise<void> => {
    const contentType = "application/xml";
    await client.send(
      { ...request, method: "PUT", headers, contentType, isWrite: true, success: [202, 204] },
      requestOptions,
    );
  };
  const propertiesOf = (comp: string): Pick<RestRequest, "path" | "query"> => ({
    path: "/",
    query: { restype: "service", comp },
  });
  const policiesOf = (table: string): Pick<RestRequest, "path" | "query"> => ({
    path: entityPath(checkTable(table)),
    query: { comp: "acl" },
  });
  return {
    ...forwardStorage(storage, {}),
    async getProperties(requestOptions) {
      return parseServiceProperties(await ask(propertiesOf("properties"), requestOptions));
    },
    setProperties: (properties, requestOptions) =>
      set({ ...propertiesOf("properties"), body: printServiceProperties(properties) }, requestOptions),
    async getStatistics(requestOptions) {
      return parseServiceStatistics(
        await ask({ ...propertiesOf("stats"), isSecondary: true }, requestOptions),
      );
    },
    async getAccessPolicies(table, requestOptions) {
      return parseAccessPolicies(await ask(policiesOf(table), requestOptions));
    },
    setAccessPolicies: async (table, policies, requestOptions) =>
      set({ ...policiesOf(table), body: printAccessPolicies(checkPolicies(policies)) }, requestOptions),
  };
}

/** Source: learn.microsoft.com "Define a stored access policy". */
const maxPolicies = 5;
const maxPolicyId = 64;

/** Checked here because the service refuses such policies without a reason. */
function checkPolicies(policies: readonly AccessPolicy[]): readonly AccessPolicy[] {
  const isTime = (text: string | undefined): boolean =>
    text === undefined || (typeof text === "string" && parseDateTime(text) !== undefined);
  const ids = new Set(policies.map(({ id }) => id));
  if (policies.length > maxPolicies) throw invalidPolicy(`a table has at most ${maxPolicies}`);
  if (ids.size < policies.length) throw invalidPolicy("two have the same id");
  for (const { id, startsAt, expiresAt, permissions = "" } of policies) {
    if (typeof id !== "string" || id === "" || id.length > maxPolicyId)
      throw invalidPolicy(`an id has 1 to ${maxPolicyId} characters`);
    if (!/^r?a?u?d?$/.test(permissions))
      throw invalidPolicy('permissions are letters of "raud", in that order');
    if (!isTime(startsAt) || !isTime(expiresAt))
      throw invalidPolicy("startsAt and expiresAt are times as text, such as 2026-11-21T00:00:00Z");
  }
  return policies;
}

const invalidPolicy = (problem: string): StorageError =>
  new StorageError("storage.access-policy", `The access policies cannot be set: ${problem}.`, {
    applied: "no",
  });

const headers = { accept: "application/xml" };
