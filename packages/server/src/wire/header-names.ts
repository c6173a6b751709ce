/**
 * The service's spelling of headers, by lower-case name. Some clients compare names with case: with another spelling,
 * they end a query after its first page.
 */
const names: Readonly<Record<string, string>> = {
  "access-control-allow-credentials": "Access-Control-Allow-Credentials",
  "access-control-allow-headers": "Access-Control-Allow-Headers",
  "access-control-allow-methods": "Access-Control-Allow-Methods",
  "access-control-allow-origin": "Access-Control-Allow-Origin",
  "access-control-expose-headers": "Access-Control-Expose-Headers",
  "access-control-max-age": "Access-Control-Max-Age",
  "cache-control": "Cache-Control",
  "content-length": "Content-Length",
  "content-type": "Content-Type",
  date: "Date",
  dataserviceid: "DataServiceId",
  dataserviceversion: "DataServiceVersion",
  etag: "ETag",
  "last-modified": "Last-Modified",
  location: "Location",
  "preference-applied": "Preference-Applied",
  server: "Server",
  vary: "Vary",
  "x-content-type-options": "X-Content-Type-Options",
  "x-ms-continuation-nextpartitionkey": "x-ms-continuation-NextPartitionKey",
  "x-ms-continuation-nextrowkey": "x-ms-continuation-NextRowKey",
  "x-ms-continuation-nexttablename": "x-ms-continuation-NextTableName",
};

/** A header's name in the service's spelling. */
export const wireName = (name: string): string => names[name] ?? name;

/** The headers with the service's spelling of their names. */
export function wireHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const named: Record<string, string> = {};
  for (const name in headers) named[wireName(name)] = headers[name] as string;
  return named;
}
