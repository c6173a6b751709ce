import { escapeXml, xmlDeclaration } from "@partita/core/protocol";
import { randomUUID } from "node:crypto";
import type { ResponseBeginning } from "./connection-fault.ts";
import type { ProtocolResponse, ProtocolRequest } from "./protocol-request.ts";
import type { ServiceFault } from "./service-fault.ts";

/** The parts of a request that determine the form of its refusal. */
type RefusedRequest = Pick<ProtocolRequest, "header" | "query">;

/** The form of a service's responses. */
export interface ResponseForms {
  /** Its `Server` header. */
  readonly product: string;
  /** The version of requests without a version, from before versions existed. */
  readonly initialVersion: string;
  /** Formats a refusal. */
  readonly refuse: (fault: ServiceFault, request: RefusedRequest) => ProtocolResponse;
  /** The start of a successful response. */
  readonly beginning: (method: string, url: string) => ResponseBeginning;
}

/** Formats a refusal in the form that the client requested: JSON, or one of the two XML forms. */
export function faultResponse(fault: ServiceFault, request: RefusedRequest): ProtocolResponse {
  const index = fault.index === undefined ? "" : `${fault.index}:`;
  const message = `${index}${faultMessage(fault)}`;
  const accept = request.query.get("$format") ?? request.header("accept") ?? "";
  const isService = request.query.has("comp") === true;
  const [type, body] = isService
    ? ["application/xml", serviceError(fault.code, message)]
    : /json/i.test(accept)
      ? [
          "application/json;odata=minimalmetadata;streaming=true;charset=utf-8",
          jsonError(fault.code, message),
        ]
      : ["application/xml;charset=utf-8", dataError(fault.code, message)];
  const service = isService ? {} : { dataserviceversion: /json/i.test(type) ? "3.0;" : "1.0;" };
  return { status: fault.status, headers: { "content-type": type, ...service, ...fault.headers }, body };
}

/** The readable message of a refusal. */
const faultMessage = ({ message }: ServiceFault): string =>
  `${message}\nRequestId:${randomUUID()}\nTime:${new Date().toISOString().replace("Z", "0000Z")}`;

const jsonError = (code: string, value: string): string =>
  JSON.stringify({ "odata.error": { code, message: { lang: "en-US", value } } });

const dataError = (code: string, message: string): string =>
  '<?xml version="1.0" encoding="utf-8" standalone="yes"?>' +
  '<error xmlns="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata">' +
  `<code>${code}</code><message xml:lang="en-US">${escapeXml(message)}</message></error>`;

/** A refusal in plain XML, without the namespaces of data services. */
const serviceError = (code: string, message: string): string =>
  `${xmlDeclaration}<Error><Code>${code}</Code><Message>${escapeXml(message)}</Message></Error>`;

/** The form of a table service's responses. */
export const tableForms: ResponseForms = {
  product: "Windows-Azure-Table/1.0",
  initialVersion: "2008-10-27",
  refuse: faultResponse,
  beginning(method, url) {
    if (url.includes("/$batch"))
      return {
        status: 202,
        type: "multipart/mixed; boundary=batchresponse_x",
        text: "--batchresponse_x\r\nContent-Type: multi",
      };
    return {
      status: method === "GET" ? 200 : 201,
      type: "application/json",
      text: '{"odata.metadata":"',
    };
  },
};

/** The form of a queue service's responses. */
export const queueForms: ResponseForms = {
  product: "Windows-Azure-Queue/1.0",
  initialVersion: "2009-09-19",
  refuse: (fault) => ({
    status: fault.status,
    headers: { "content-type": "application/xml", "x-ms-error-code": fault.code, ...fault.headers },
    body: serviceError(fault.code, faultMessage(fault)),
  }),
  beginning: (method) => ({
    status: method === "GET" ? 200 : method === "POST" ? 201 : 204,
    type: "application/xml",
    text: '<?xml version="1.0" encoding="utf-8"?><QueueMessagesList><Queue',
  }),
};
