import { StorageError } from "@partita/core";
import type { StorageFailure } from "@partita/core/storage";
import type { ConnectionFault, FaultyConnection } from "@partita/server";
import { applyFault } from "./apply-fault.ts";
import type { FaultKind, PlacedFault } from "./fault.ts";

/**
 * The error that a storage throws for a planned fault. A server instead causes the fault on the request's connection.
 */
export class InjectedFault extends StorageError implements ConnectionFault {
  readonly fault: PlacedFault;

  constructor(fault: PlacedFault, isWrite: boolean) {
    const { code, message, ...failure } = forms[fault.kind];
    const applied = isWrite && failure.applied !== "no" ? "maybe" : "no";
    super(code, message, { ...failure, applied });
    this.fault = fault;
  }

  applyTo(connection: FaultyConnection): void {
    applyFault(this.fault.kind, connection);
  }
}

type Form = { readonly code: string; readonly message: string } & Partial<StorageFailure>;

const answered = (status: number, serviceCode: string | undefined, message: string): Form => ({
  code: StorageError.ofResponse(serviceCode ?? `Status${status}`, message, { applied: "no" }).code,
  message,
  status,
  ...(serviceCode !== undefined && { serviceCode }),
});

const forms: Readonly<Record<FaultKind, Form>> = {
  refused: {
    code: "storage.unreachable",
    message: "The service cannot be reached (ECONNREFUSED).",
    applied: "no",
  },
  unsent: {
    code: "storage.connection-lost",
    message: "The connection broke before anything was sent (ECONNRESET).",
    applied: "no",
  },
  reset: {
    code: "storage.connection-lost",
    message: "The connection broke before a response arrived (ECONNRESET).",
  },
  crash: {
    code: "storage.connection-lost",
    message: "The connection broke before a response arrived (other side closed).",
  },
  timeout: { code: "storage.timeout", message: "No complete response arrived within 20000 ms." },
  truncated: {
    code: "storage.truncated",
    message: "The connection closed before the response was complete (ECONNRESET).",
  },
  garbage: {
    code: "storage.malformed-response",
    message: "The response cannot be read: it is not from a table service.",
  },
  error: answered(500, "InternalError", "The server encountered an internal error."),
  "operation-timed-out": answered(
    500,
    "OperationTimedOut",
    "The operation could not be completed within the permitted time.",
  ),
  "bad-gateway": answered(502, undefined, "The service responded with 502."),
  "gateway-timeout": answered(504, undefined, "The service responded with 504."),
  "request-timeout": answered(408, "RequestTimeout", "The server timed out while waiting for the request."),
  busy: answered(503, "ServerBusy", "The server is busy."),
  throttled: answered(429, "TooManyRequests", "The request rate is too large."),
};
