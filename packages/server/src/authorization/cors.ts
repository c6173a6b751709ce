import type { CorsRule } from "@partita/account";
import { ServiceFault } from "../wire/service-fault.ts";

type Header = (name: string) => string | undefined;

/** Checks whether a page of another origin may send a request. @throws ServiceFault `CorsPreflightFailure` */
export function preflightHeaders(rules: readonly CorsRule[], header: Header): Record<string, string> {
  const origin = header("origin");
  const method = header("access-control-request-method");
  if (origin === undefined || method === undefined) throw new ServiceFault("MissingRequiredHeader");
  const wanted = (header("access-control-request-headers") ?? "")
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "");
  const rule = ruleFor(rules, origin, method);
  if (rule === undefined || !wanted.every((name) => isAllowed(rule, name)))
    throw new ServiceFault("CorsPreflightFailure");
  return {
    ...originHeaders(rule, origin),
    "access-control-allow-methods": method,
    "access-control-max-age": String(rule.maxAgeSeconds),
    ...(wanted.length > 0 && { "access-control-allow-headers": wanted.join(",") }),
  };
}

/**
 * The CORS headers of a response; none without rules. If the response to a read depends on the origin, it contains
 * `Vary`, so caches don't return it to another origin. Source: learn.microsoft.com "CORS support for Azure Storage".
 */
export function corsHeaders(
  rules: readonly CorsRule[],
  method: string,
  header: Header,
): Record<string, string> {
  if (rules.length === 0) return {};
  const isCached = method === "GET" || method === "HEAD";
  const origin = header("origin");
  const rule = origin === undefined && !isCached ? undefined : ruleFor(rules, origin, method);
  const varies = isCached && rule?.allowedOrigins.includes("*") !== true;
  const exposed = rule?.exposedHeaders.join(",") ?? "";
  return {
    ...(rule !== undefined && originHeaders(rule, origin)),
    ...(exposed !== "" && { "access-control-expose-headers": exposed }),
    ...(varies && { vary: "Origin" }),
  };
}

/**
 * The first rule that allows this origin and method; without an origin, the first that allows the method to every
 * origin.
 */
const ruleFor = (
  rules: readonly CorsRule[],
  origin: string | undefined,
  method: string,
): CorsRule | undefined =>
  rules.find(
    ({ allowedOrigins, allowedMethods }) =>
      (allowedOrigins.includes("*") || (origin !== undefined && allowedOrigins.includes(origin))) &&
      allowedMethods.includes(method),
  );

const isAllowed = (rule: CorsRule, name: string): boolean =>
  rule.allowedHeaders.some((allowed) =>
    allowed.endsWith("*")
      ? name.startsWith(allowed.slice(0, -1).toLowerCase())
      : name === allowed.toLowerCase(),
  );

const originHeaders = ({ allowedOrigins }: CorsRule, origin: string | undefined): Record<string, string> =>
  origin === undefined || allowedOrigins.includes("*")
    ? { "access-control-allow-origin": "*" }
    : { "access-control-allow-origin": origin, "access-control-allow-credentials": "true" };
