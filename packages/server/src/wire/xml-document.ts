import { loadXmlReader, type XmlReader } from "@partita/core/protocol";
import type { ProtocolAnswer } from "./protocol-request.ts";
import { ServiceFault } from "./service-fault.ts";

/** Reads the XML of a request. @throws ServiceFault `InvalidXmlDocument` */
export async function readXml<Result>(parse: (read: XmlReader) => Result): Promise<Result> {
  const read = await loadXmlReader();
  try {
    return parse(read);
  } catch {
    throw new ServiceFault("InvalidXmlDocument");
  }
}

/** An answer that is one XML document. */
export const xmlAnswer = (body: string, status: number = 200): ProtocolAnswer => ({
  status,
  headers: { "content-type": "application/xml" },
  body,
});
