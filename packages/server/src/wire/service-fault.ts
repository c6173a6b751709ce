import { StorageError } from "@partita/core";
import { isConnectionFault } from "./connection-fault.ts";
import { type ServerCode, serverCodes } from "./server-codes.ts";

/** A refusal with the service's code and message. */
export class ServiceFault extends Error {
  readonly status: number;
  readonly code: ServerCode;
  /** Index of the failed operation in a transaction. */
  readonly index: number | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ServerCode,
    {
      index,
      headers = {},
      message = serverCodes[code][1],
    }: {
      readonly index?: number;
      readonly headers?: Record<string, string>;
      readonly message?: string;
    } = {},
  ) {
    super(message);
    this.code = code;
    this.status = serverCodes[code][0];
    this.index = index;
    this.headers = headers;
  }

  get isServiceFault(): true {
    return true;
  }

  static is(value: unknown): value is ServiceFault {
    return (value as Partial<ServiceFault> | null | undefined)?.isServiceFault === true;
  }
}

/** Converts any error of a storage, or of parsing a request, to a fault. */
export function faultOf(error: unknown): ServiceFault {
  if (ServiceFault.is(error)) return error;
  // The error controls the connection itself.
  if (isConnectionFault(error)) throw error;
  if (StorageError.is(error)) {
    const { serviceCode, index, code } = error;
    const known =
      serviceCode !== undefined && Object.hasOwn(serverCodes, serviceCode) ? serviceCode : undefined;
    if (known !== undefined)
      return new ServiceFault(known as ServerCode, index === undefined ? {} : { index });
    // Input that this library's parsers refuse is malformed.
    if (code === "storage.malformed-response") return new ServiceFault("InvalidInput");
    if (Object.hasOwn(codesOfQueues, code)) return new ServiceFault(codesOfQueues[code] as ServerCode);
  }
  return new ServiceFault("InternalError");
}

/** Codes of queue stores for requests that they refuse before sending. */
const codesOfQueues: Readonly<Record<string, ServerCode>> = {
  "queue.text-too-large": "RequestBodyTooLarge",
  "queue.text-characters": "InvalidXmlDocument",
  // The receipt belongs to another message.
  "queue.receipt": "PopReceiptMismatch",
};
