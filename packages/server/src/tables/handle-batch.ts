import { randomUUID } from "node:crypto";
import type { Access } from "./access.ts";
import { type EntityOperation, entityOperation } from "./entity-operation.ts";
import { faultResponse } from "../wire/response-forms.ts";
import type { EntityService } from "./entity-service.ts";
import { checkWritten, handleEntities, writeResponse } from "./handle-entities.ts";
import { wireName } from "../wire/header-names.ts";
import { type InnerHttp, innerHttpOf } from "../wire/inner-http.ts";
import { boundaryOf, KnownHead, outerPartOf, type Part, partOf, partsOf } from "../wire/multipart.ts";
import { type Payload, payloadOf } from "../wire/payload.ts";
import type { ProtocolResponse, ProtocolRequest } from "../wire/protocol-request.ts";
import { faultOf, ServiceFault } from "../wire/service-fault.ts";

/** Reads the request in a part of a batch like a separate request. @throws ServiceFault */
export type InnerRequest = (part: InnerHttp, outer: ProtocolRequest) => ProtocolRequest;

/** Handles an entity group transaction, or a single read, as multipart. */
export async function handleBatch(
  request: ProtocolRequest,
  access: Access,
  service: EntityService,
  innerRequest: InnerRequest,
): Promise<ProtocolResponse> {
  if (request.method !== "POST") throw new ServiceFault("UnsupportedHttpVerb");
  const { bytes = Buffer.from(request.body) } = request;
  const parts = partsOf(bytes, boundaryOf(request.header("content-type")));
  const [only] = parts;
  if (only === undefined || parts.length > 1) throw new ServiceFault("InvalidInput");
  const outer = outerPartOf(only);
  const boundary = `batchresponse_${randomUUID()}`;
  if (isHttp(outer)) {
    const first = partOf(only.toString(), new KnownHead());
    const http = innerHttpOf(first);
    if (http.method !== "GET") throw new ServiceFault("InvalidInput");
    const response = await respondToRead(
      () => innerRequest(http, request),
      formOf(first, request),
      access,
      service,
    );
    return multipart(boundary, [httpPart(response, undefined)]);
  }
  const changeset = `changesetresponse_${randomUUID()}`;
  const heads = new KnownHead();
  const changes = partsOf(outer.bytes, boundaryOf(outer.headers.get("content-type"))).map((part) =>
    partOf(part.toString(), heads),
  );
  const responses = await transact(changes, request, access, service, innerRequest);
  const inner = multipartBody(
    changeset,
    responses.map(({ response, id }) => httpPart(response, id)),
  );
  return multipart(boundary, [`Content-Type: multipart/mixed; boundary=${changeset}\r\n\r\n${inner}`]);
}

/** Characters of operations per piece: some milliseconds of work. */
const lengthAPiece = 64 * 1024;

/** The responses to all operations, or the one to the refused operation. */
async function transact(
  changes: readonly Part[],
  outer: ProtocolRequest,
  access: Access,
  service: EntityService,
  innerRequest: InnerRequest,
): Promise<NamedResponse[]> {
  const read: Change[] = [];
  const ids = changes.map(contentIdOf);
  const known = new KnownHead();
  let length = 0;
  try {
    for (const [index, part] of changes.entries()) {
      length += part.content.length;
      if (length > lengthAPiece) {
        await service.pace.next();
        length = 0;
      }
      if (ids[index] !== undefined && ids.indexOf(ids[index]) < index)
        throw new ServiceFault("InvalidInput", { index });
      read.push(
        await readChange(part, outer, access, innerRequest, known, read.at(-1)).catch((error: unknown) =>
          throwAt(error, index),
        ),
      );
    }
    const [first] = read;
    const table = first?.written.table.toLowerCase();
    const other = read.findIndex(({ written }) => written.table.toLowerCase() !== table);
    if (first === undefined || other >= 0)
      throw new ServiceFault("InvalidInput", { index: Math.max(other, 0) });
    const results = await service.storage.transact(
      first.written.table,
      read.map(({ written }) => written.operation),
    );
    const responses: NamedResponse[] = [];
    for (const [i, { request, written, payload }] of read.entries()) {
      const response = await writeResponse(request, written, results[i]?.etag, payload, service);
      responses.push({ response, id: ids[i] });
    }
    return responses;
  } catch (error) {
    const fault = faultOf(error);
    // A server error, or a refusal of the whole body, does not belong to one operation.
    if (fault.status >= 500 || fault.status === 413) throw error;
    const index = fault.index ?? 0;
    const response = faultResponse(fault, formOf(changes[index], outer));
    return [{ response, id: ids[index] }];
  }
}

/** One operation of a transaction, with the format of its response. */
interface Change {
  readonly request: ProtocolRequest;
  readonly written: EntityOperation;
  readonly payload: Payload;
}

/**
 * Reads an operation, and checks its access and its response format.
 *
 * @param before - the preceding operation
 * @throws ServiceFault
 */
async function readChange(
  part: Part,
  outer: ProtocolRequest,
  access: Access,
  innerRequest: InnerRequest,
  known: KnownHead,
  before: Change | undefined,
): Promise<Change> {
  if (!isHttp(part)) throw new ServiceFault("InvalidInput");
  const request = innerRequest(innerHttpOf(part, known), outer);
  access.check(request);
  if (request.method === "GET" || request.resource.type === "batch") throw new ServiceFault("InvalidInput");
  const written = await entityOperation(request);
  checkWritten(access, written);
  // With the same headers and parameters, the format and access are the same.
  const isLikeBefore = request.header === before?.request.header && request.query === before.request.query;
  return { request, written, payload: isLikeBefore ? before.payload : payloadOf(request) };
}

/** A response, with its client's ID of the operation. */
interface NamedResponse {
  readonly response: ProtocolResponse;
  readonly id: string | undefined;
}

/**
 * A client's ID of an operation, unique in the batch. Some clients write it into the part, some into the request
 * inside. Without an ID, the response has none either, as recordings of the service show.
 */
function contentIdOf({ headers, content }: Part): string | undefined {
  const inner = /^content-id:[ \t]*([\w-]{1,64})[ \t]*$/im.exec(content.slice(0, 2000))?.[1];
  const outer = headers.get("content-id");
  return outer !== undefined && /^[\w-]{1,64}$/.test(outer) ? outer : inner;
}

/** Adds the index of the refused operation to an error. */
function throwAt(error: unknown, index: number): never {
  const fault = faultOf(error);
  if (fault.status >= 500 && fault.code === "InternalError") throw error;
  throw new ServiceFault(fault.code, { index });
}

const isHttp = ({ headers }: Pick<Part, "headers">): boolean =>
  /^application\/http\b/i.test(headers.get("content-type") ?? "");

/** The response to a batch with one read; the message of a refusal starts with its index, 0. */
async function respondToRead(
  readRequest: () => ProtocolRequest,
  form: ResponseForm,
  access: Access,
  service: EntityService,
): Promise<ProtocolResponse> {
  try {
    const request = readRequest();
    const { type } = request.resource;
    if (type !== "entity" && type !== "entities") throw new ServiceFault("InvalidInput");
    access.check(request);
    return await handleEntities(request, access, service);
  } catch (error) {
    const { code, status } = faultOf(error);
    if (status >= 500 && status !== 501) throw error;
    return faultResponse(new ServiceFault(code, { index: 0 }), form);
  }
}

/** The parts of a request that decide between JSON and XML. */
type ResponseForm = Pick<ProtocolRequest, "header" | "query">;

/** The format for the response to a part, even if the part is invalid; by default the batch's. */
function formOf(part: Part | undefined, outer: ProtocolRequest): ResponseForm {
  if (part === undefined) return outer;
  try {
    const { url, headers } = innerHttpOf(part);
    const format = new URLSearchParams(url.split("?")[1]).get("$format");
    return {
      header: innerHeader(headers, outer),
      query: new Map(format === null ? [] : [["$format", format]]),
    };
  } catch {
    return outer;
  }
}

/** The headers of a part. The batch can provide the default response format. */
export const innerHeader =
  (headers: ReadonlyMap<string, string>, outer: ProtocolRequest) =>
  (name: string): string | undefined =>
    headers.get(name) ?? (name === "accept" ? outer.header("accept") : undefined);

function multipart(boundary: string, parts: readonly string[]): ProtocolResponse {
  return {
    status: 202,
    headers: { "content-type": `multipart/mixed; boundary=${boundary}` },
    // A buffer is sent faster than a long text, whose byte length would have to be counted.
    body: Buffer.from(multipartBody(boundary, parts)),
  };
}

const multipartBody = (boundary: string, parts: readonly string[]): string =>
  `${parts.map((part) => `--${boundary}\r\n${part}\r\n`).join("")}--${boundary}--\r\n`;

function httpPart({ status, headers, body = "" }: ProtocolResponse, contentId: string | undefined): string {
  let text = partHead + `HTTP/1.1 ${status} ${reasons[status] ?? "Error"}\r\n`;
  if (contentId !== undefined) text += `Content-ID: ${contentId}\r\n`;
  text += "X-Content-Type-Options: nosniff\r\nCache-Control: no-cache\r\n";
  for (const name in headers) text += `${wireName(name)}: ${headers[name]}\r\n`;
  return `${text}\r\n${String(body)}${body === "" ? "\r\n" : ""}`;
}

const partHead = "Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n";

const reasons: Readonly<Record<number, string>> = {
  200: "OK",
  201: "Created",
  204: "No Content",
  400: "Bad Request",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  412: "Precondition Failed",
  415: "Unsupported Media Type",
  501: "Not Implemented",
};
