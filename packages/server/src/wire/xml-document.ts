import type { ProtocolResponse } from "./protocol-request.ts";
import { ServiceFault } from "./service-fault.ts";

/** Parses the XML of a request. @throws ServiceFault `InvalidXmlDocument` */
export function orInvalidXml<Result>(parse: () => Result): Result {
  try {
    return parse();
  } catch {
    throw new ServiceFault("InvalidXmlDocument");
  }
}

/** A response that is an XML document. */
export const xmlResponse = (body: string, status: number = 200): ProtocolResponse => ({
  status,
  headers: { "content-type": "application/xml" },
  body,
});
