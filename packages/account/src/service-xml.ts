import { childOf, childrenOf, malformedXml, textOfChild } from "@partita/core/internal/azure";
import { escapeXml, readXml, type XmlElement, xmlDeclaration } from "@partita/core/protocol";

/**
 * The requests that the service logs, and the days it keeps the log. By default it keeps them without limit.
 */
export interface LoggingSettings {
  readonly version: string;
  readonly read: boolean;
  readonly write: boolean;
  readonly delete: boolean;
  readonly retentionDays?: number;
}

/** The metrics of the service, by hour or minute. */
export interface MetricsSettings {
  readonly version: string;
  readonly enabled: boolean;
  readonly includeApis?: boolean;
  readonly retentionDays?: number;
}

/** Allows pages of other origins to send requests from a browser. */
export interface CorsRule {
  /** Origins, or `*`. */
  readonly allowedOrigins: readonly string[];
  readonly allowedMethods: readonly string[];
  /** Header names. A name that ends with `*` is a prefix. */
  readonly allowedHeaders: readonly string[];
  readonly exposedHeaders: readonly string[];
  readonly maxAgeSeconds: number;
}

/** Settings of a table service. When you set them, absent sections don't change. */
export interface ServiceProperties {
  readonly logging?: LoggingSettings;
  readonly hourMetrics?: MetricsSettings;
  readonly minuteMetrics?: MetricsSettings;
  /** At most 5 rules. An empty list forbids all cross-origin requests. */
  readonly cors?: readonly CorsRule[];
}

/** The state of an account's secondary. */
export interface ServiceStatistics {
  readonly status: "live" | "bootstrap" | "unavailable";
  /** The secondary has all writes before this time. Absent if the time is unknown. */
  readonly lastSyncTime?: Date;
}

/**
 * A stored access policy of a table. Shared access signatures refer to it by id, and end when you delete it.
 */
export interface AccessPolicy {
  /** At most 64 characters. */
  readonly id: string;
  /** In UTC, such as `2026-11-21T00:00:00Z`. The service returns seven fractional digits. */
  readonly startsAt?: string;
  readonly expiresAt?: string;
  /** Letters of `r` (query), `a` (add), `u` (update) and `d` (delete). */
  readonly permissions?: string;
}

/** Source: learn.microsoft.com "Set Table Service Properties". */
export function printServiceProperties({
  logging,
  hourMetrics,
  minuteMetrics,
  cors,
}: ServiceProperties): string {
  const sections = [
    logging &&
      element(
        "Logging",
        text("Version", logging.version),
        text("Delete", logging.delete),
        text("Read", logging.read),
        text("Write", logging.write),
        printRetention(logging.retentionDays),
      ),
    hourMetrics && printMetrics("HourMetrics", hourMetrics),
    minuteMetrics && printMetrics("MinuteMetrics", minuteMetrics),
    cors && element("Cors", ...cors.map(printCorsRule)),
  ];
  return xmlDeclaration + element("StorageServiceProperties", ...sections);
}

/**
 * Reads a service properties document. Sections that it leaves out are absent.
 *
 * @throws StorageError `storage.malformed-response`
 */
export function parseServiceProperties(document: string): ServiceProperties {
  const root = rootOf(document, "StorageServiceProperties");
  const logging = childOf(root, "Logging");
  // Before 2013 there was one kind of metrics.
  const hourMetrics = childOf(root, "HourMetrics") ?? childOf(root, "Metrics");
  const minuteMetrics = childOf(root, "MinuteMetrics");
  const cors = childOf(root, "Cors");
  return {
    ...(logging && {
      logging: {
        version: required(logging, "Version"),
        read: flag(logging, "Read"),
        write: flag(logging, "Write"),
        delete: flag(logging, "Delete"),
        ...parseRetention(logging),
      },
    }),
    ...(hourMetrics && { hourMetrics: parseMetrics(hourMetrics) }),
    ...(minuteMetrics && { minuteMetrics: parseMetrics(minuteMetrics) }),
    ...(cors && { cors: childrenOf(cors, "CorsRule").map(parseCorsRule) }),
  };
}

function printMetrics(
  name: string,
  { version, enabled, includeApis, retentionDays }: MetricsSettings,
): string {
  return element(
    name,
    text("Version", version),
    text("Enabled", enabled),
    includeApis === undefined ? undefined : text("IncludeAPIs", includeApis),
    printRetention(retentionDays),
  );
}

function parseMetrics(metrics: XmlElement): MetricsSettings {
  return {
    version: required(metrics, "Version"),
    enabled: flag(metrics, "Enabled"),
    ...(childOf(metrics, "IncludeAPIs") && { includeApis: flag(metrics, "IncludeAPIs") }),
    ...parseRetention(metrics),
  };
}

const printRetention = (days: number | undefined): string =>
  element(
    "RetentionPolicy",
    text("Enabled", days !== undefined),
    days === undefined ? "" : text("Days", days),
  );

function parseRetention(of: XmlElement): { readonly retentionDays?: number } {
  const policy = childOf(of, "RetentionPolicy");
  if (policy === undefined || !flag(policy, "Enabled")) return {};
  return { retentionDays: wholeNumber(policy, "Days") };
}

function printCorsRule(rule: CorsRule): string {
  return element(
    "CorsRule",
    text("AllowedOrigins", rule.allowedOrigins.join(",")),
    text("AllowedMethods", rule.allowedMethods.join(",")),
    text("AllowedHeaders", rule.allowedHeaders.join(",")),
    text("ExposedHeaders", rule.exposedHeaders.join(",")),
    text("MaxAgeInSeconds", rule.maxAgeSeconds),
  );
}

function parseCorsRule(rule: XmlElement): CorsRule {
  return {
    allowedOrigins: list(rule, "AllowedOrigins"),
    allowedMethods: list(rule, "AllowedMethods"),
    allowedHeaders: list(rule, "AllowedHeaders"),
    exposedHeaders: list(rule, "ExposedHeaders"),
    maxAgeSeconds: wholeNumber(rule, "MaxAgeInSeconds"),
  };
}

/** Writes the statistics document of a secondary. */
export function printServiceStatistics({ status, lastSyncTime }: ServiceStatistics): string {
  const time = lastSyncTime === undefined ? "" : lastSyncTime.toUTCString();
  const replication = element("GeoReplication", text("Status", status), text("LastSyncTime", time));
  return xmlDeclaration + element("StorageServiceStats", replication);
}

/** @throws StorageError `storage.malformed-response` */
export function parseServiceStatistics(document: string): ServiceStatistics {
  const replication = childOf(rootOf(document, "StorageServiceStats"), "GeoReplication");
  const status = textOfChild(replication, "Status");
  if (status !== "live" && status !== "bootstrap" && status !== "unavailable")
    throw malformedXml("its status is not live, bootstrap or unavailable");
  const time = new Date(textOfChild(replication, "LastSyncTime") ?? "");
  return Number.isNaN(time.getTime()) ? { status } : { status, lastSyncTime: time };
}

/** Source: learn.microsoft.com "Set Table ACL". */
export function printAccessPolicies(policies: readonly AccessPolicy[]): string {
  const identifiers = policies.map(({ id, startsAt, expiresAt, permissions }) => {
    const parts = [
      startsAt === undefined ? "" : text("Start", startsAt),
      expiresAt === undefined ? "" : text("Expiry", expiresAt),
      permissions === undefined ? "" : text("Permission", permissions),
    ];
    // For an id with an empty policy, the service leaves the policy out and accepts it without one.
    const isEmpty = parts.every((part) => part === "");
    return element("SignedIdentifier", text("Id", id), isEmpty ? "" : element("AccessPolicy", ...parts));
  });
  return xmlDeclaration + element("SignedIdentifiers", ...identifiers);
}

/** Reads the signed identifiers of a table, in order. @throws StorageError `storage.malformed-response` */
export function parseAccessPolicies(document: string): AccessPolicy[] {
  const root = rootOf(document, "SignedIdentifiers");
  return childrenOf(root, "SignedIdentifier").map((identifier) => {
    const policy = childOf(identifier, "AccessPolicy");
    const startsAt = textOfChild(policy, "Start");
    const expiresAt = textOfChild(policy, "Expiry");
    const permissions = textOfChild(policy, "Permission");
    return {
      id: required(identifier, "Id"),
      ...(startsAt && { startsAt }),
      ...(expiresAt && { expiresAt }),
      ...(permissions && { permissions }),
    };
  });
}

const element = (name: string, ...children: readonly (string | undefined)[]): string =>
  `<${name}>${children.join("")}</${name}>`;

const text = (name: string, value: string | number | boolean): string =>
  element(name, escapeXml(String(value)));

function rootOf(document: string, expected: string): XmlElement {
  const [name, root] = readXml(document.replace(/^\uFEFF/, ""));
  if (name !== expected) throw malformedXml(`its root is not ${expected}`);
  return root;
}

function required(of: XmlElement, name: string): string {
  const found = textOfChild(of, name);
  if (found === undefined) throw malformedXml(`${name} is missing`);
  return found;
}

function flag(of: XmlElement, name: string): boolean {
  const found = required(of, name).trim().toLowerCase();
  if (found !== "true" && found !== "false") throw malformedXml(`${name} is neither true nor false`);
  return found === "true";
}

function wholeNumber(of: XmlElement, name: string): number {
  const found = required(of, name).trim();
  if (!/^\d{1,9}$/.test(found)) throw malformedXml(`${name} is not a whole number`);
  return Number(found);
}

const list = (of: XmlElement, name: string): string[] =>
  (textOfChild(of, name) ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
