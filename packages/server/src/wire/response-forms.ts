import { escapeXml, xmlDeclaration } from "@partita/core/protocol";
import { randomUUID } from "node:crypto";
import type { ResponseBeginning } from "./connection-fault.ts";
import type { ProtocolResponse, ProtocolRequest } from "./protocol-request.ts";
import type { ServiceFault } from "./service-fault.ts";

/** What of a request decides how it is refused. */
type RefusedRequest = Pick<ProtocolRequest, "header" | "query">;

/** How a service answers, whatever it is asked. */
export interface ResponseForms {
  /** Its `Server` header. */
  readonly product: string;
  /** The version of requests that name none, from before versions were named. */
  readonly initialVersion: string;
  /** A refusal in the form of the service. */
  readonly refuse: (fault: ServiceFault, request: RefusedRequest) => ProtocolResponse;
  /** How a successful answer begins. */
  readonly beginning: (method: string, url: string) => ResponseBeginning;
}

/** A refusal in the form its client asked for: JSON, or one of the two XML forms. */
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

/** What a refusal says to people. */
const faultMessage = ({ message }: ServiceFault): string =>
  `${message}\nRequestId:${randomUUID()}\nTime:${new Date().toISOString().replace("Z", "0000Z")}`;

const jsonError = (code: string, value: string): string =>
  JSON.stringify({ "odata.error": { code, message: { lang: "en-US", value } } });

const dataError = (code: string, message: string): string =>
  '<?xml version="1.0" encoding="utf-8" standalone="yes"?>' +
  '<error xmlns="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata">' +
  `<code>${code}</code><message xml:lang="en-US">${escapeXml(message)}</message></error>`;

/** A refusal in XML that has no form of data services. */
const serviceError = (code: string, message: string): string =>
  `${xmlDeclaration}<Error><Code>${code}</Code><Message>${escapeXml(message)}</Message></Error>`;

/** How a table service answers. */
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

/** How a queue service answers. */
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
