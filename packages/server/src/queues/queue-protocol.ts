import { type AdmittedRequest, maxSettingsBytes, type WireProtocol } from "../http/admit-request.ts";
import type { RequestAccess } from "../authorization/request-access.ts";
import type { ProtocolResponse, ProtocolRequest } from "../wire/protocol-request.ts";
import {
  clearMessages,
  peekMessages,
  putMessage,
  receiveMessages,
  removeMessage,
  updateMessage,
} from "./handle-messages.ts";
import {
  createQueue,
  deleteQueue,
  handleQueuePolicies,
  listQueues,
  readMetadata,
  requireQueue,
  writeMetadata,
} from "./handle-queues.ts";
import { queueSignatures } from "./queue-access.ts";
import { queueForms } from "../wire/response-forms.ts";
import { isReadOperation, operationOf } from "./queue-operation.ts";
import { parseQueueResource, type QueueResource } from "./queue-resource.ts";
import type { QueueService } from "./queue-service.ts";
import { faultOf } from "../wire/service-fault.ts";

/** The protocol of a queue service. */
export const queueProtocol = (
  service: QueueService,
): WireProtocol<QueueResource, RequestAccess<QueueResource>> => ({
  forms: queueForms,
  signatures: queueSignatures((queue) => service.settings.policiesOf(queue)),
  parseResource: parseQueueResource,
  methodOf: (method) => method,
  isRead: (head) => isReadOperation(operationOf(head)),
  limitsOf: ({ query }) => ({
    // A character takes up to six in XML; the text itself is measured after parsing.
    maxBodyBytes: query.has("comp") ? maxSettingsBytes : 6 * service.queues.maxTextBytes + 1024,
    isScan: false,
  }),
  response: (request, admitted) => respondTo(request, admitted, service),
});

/** Reports a missing queue before any other problem of a request. */
async function respondTo(
  request: ProtocolRequest<QueueResource>,
  admitted: AdmittedRequest<QueueResource, RequestAccess<QueueResource>>,
  service: QueueService,
): Promise<ProtocolResponse> {
  const { resource } = request;
  try {
    return await route(request, admitted, service);
  } catch (error) {
    const isRefusal = faultOf(error).status < 500;
    if (isRefusal && resource.type !== "service" && operationOf(request) !== "createQueue")
      await requireQueue(resource.queue, service);
    throw error;
  }
}

function route(
  request: ProtocolRequest<QueueResource>,
  { isSecondary }: AdmittedRequest<QueueResource, RequestAccess<QueueResource>>,
  service: QueueService,
): Promise<ProtocolResponse> {
  const { resource } = request;
  const queue = "queue" in resource ? resource.queue : "";
  const id = resource.type === "message" ? resource.id : "";
  const operation = operationOf(request);
  switch (operation) {
    case "readService":
    case "writeService":
      return service.settings.handleService(request, isSecondary);
    case "listQueues":
      return listQueues(request, service);
    case "createQueue":
      return createQueue(request, queue, service);
    case "deleteQueue":
      return deleteQueue(queue, service);
    case "readMetadata":
      return readMetadata(queue, service);
    case "writeMetadata":
      return writeMetadata(request, queue, service);
    case "readPolicies":
    case "writePolicies":
      return handleQueuePolicies(request, queue, service);
    case "put":
      return putMessage(request, queue, service);
    case "receive":
      return receiveMessages(request, queue, service);
    case "peek":
      return peekMessages(request, queue, service);
    case "clear":
      return clearMessages(queue, service);
    case "update":
      return updateMessage(request, queue, id, service);
    case "remove":
      return removeMessage(request, queue, id, service);
    default:
      return operation satisfies never;
  }
}
