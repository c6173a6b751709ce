import type { TableStorage } from "@partita/core";
import { evaluateFilter } from "@partita/core/protocol";
import { parsePosition, printPosition } from "../wire/continuation.ts";
import { typeHeaders } from "./entity-response.ts";
import { preferenceOf } from "./handle-entities.ts";
import { checkOptions, filterOf, topOf } from "./read-entities.ts";
import { type Payload, payloadOf, readBody } from "../wire/payload.ts";
import { atomTable, atomTables } from "../wire/print-atom.ts";
import { jsonTable, jsonTables } from "../wire/print-json.ts";
import { noContent, type ProtocolResponse, type ProtocolRequest } from "../wire/protocol-request.ts";
import { ServiceFault } from "../wire/service-fault.ts";

export interface TableListService {
  readonly storage: TableStorage;
  readonly account: string;
  readonly pageSize: number;
}

/** Handles the list of tables: query, create, look up, delete. */
export async function handleTables(
  request: ProtocolRequest,
  service: TableListService,
): Promise<ProtocolResponse> {
  const { method, resource } = request;
  if (resource.type === "tables") {
    if (method === "GET") return queryTables(request, service);
    if (method === "POST") return createTable(request, service);
  } else if (resource.type === "table") {
    if (method === "GET") return lookUpTable(request, resource.table, service);
    if (method === "DELETE") {
      await service.storage.deleteTable(resource.table);
      return noContent();
    }
  }
  throw new ServiceFault("UnsupportedHttpVerb");
}

async function queryTables(
  request: ProtocolRequest,
  { storage, account, pageSize }: TableListService,
): Promise<ProtocolResponse> {
  const { query, base } = request;
  const payload = payloadOf(request);
  checkOptions(query);
  const filters = filterOf(query.get("$filter"));
  const limit = Math.min(topOf(query.get("$top")) ?? pageSize, pageSize);
  const after = query.get("NextTableName");
  const first = after === undefined ? undefined : parsePosition(after).token;
  const found = (await storage.listTables())
    .toSorted(inOrder)
    .filter((name) => first === undefined || inOrder(first, name) <= 0)
    .filter((name) =>
      filters.every((node) =>
        evaluateFilter(node, (property) =>
          property === "TableName" ? { edm: "Edm.String", value: name } : undefined,
        ),
      ),
    );
  const names = found.slice(0, limit);
  const next = limit === 0 ? undefined : found[limit];
  const place = { base, account };
  return {
    status: 200,
    headers: {
      ...typeHeaders(payload, "feed"),
      ...(next !== undefined && {
        "x-ms-continuation-nexttablename": printPosition({ token: next, isSecond: false }),
      }),
    },
    body: payload === "atom" ? atomTables(names, place) : jsonTables(names, payload, place),
  };
}

/** Sorts table names without regard to case. */
function inOrder(a: string, b: string): number {
  const [x, y] = [a.toLowerCase(), b.toLowerCase()];
  return x < y ? -1 : x > y ? 1 : 0;
}

async function createTable(
  request: ProtocolRequest,
  { storage, account }: TableListService,
): Promise<ProtocolResponse> {
  const payload = payloadOf(request);
  const { TableName: name } = await readBody(request);
  if (name === undefined) throw new ServiceFault("PropertiesNeedValue");
  if (typeof name !== "string") throw new ServiceFault("InvalidInput");
  await storage.createTable(name);
  const { base } = request;
  const link = `${base}/Tables('${name}')`;
  const preference = preferenceOf(request);
  const headers = {
    location: link,
    dataserviceid: link,
    ...(preference !== undefined && { "preference-applied": preference }),
  };
  if (preference === "return-no-content") return noContent(headers);
  return tableResponse(201, name, payload, { base, account }, headers);
}

async function lookUpTable(
  request: ProtocolRequest,
  table: string,
  { storage, account }: TableListService,
): Promise<ProtocolResponse> {
  const payload = payloadOf(request);
  const name = (await storage.listTables()).find((one) => one.toLowerCase() === table.toLowerCase());
  if (name === undefined) throw new ServiceFault("ResourceNotFound");
  return tableResponse(200, name, payload, { base: request.base, account }, {});
}

const tableResponse = (
  status: number,
  name: string,
  payload: Payload,
  place: { readonly base: string; readonly account: string },
  headers: Readonly<Record<string, string>>,
): ProtocolResponse => ({
  status,
  headers: { ...headers, ...typeHeaders(payload, "entry") },
  body: payload === "atom" ? atomTable(name, place) : jsonTable(name, payload, place),
});
