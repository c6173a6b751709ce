import { type AdmittedRequest, maxSettingsBytes, type WireProtocol } from "../http/admit-request.ts";
import type { RequestAccess } from "../authorization/request-access.ts";
import { maxBodyBytes } from "../http/admission.ts";
import { type ResponseForms, queueForms } from "../wire/response-forms.ts";
import type { ProtocolResponse, ProtocolRequest } from "../wire/protocol-request.ts";
import { ServiceFault } from "../wire/service-fault.ts";
import { blobSignatures } from "./blob-access.ts";
import { isReadOperation, operationOf } from "./blob-operation.ts";
import { type BlobResource, parseBlobResource } from "./blob-resource.ts";
import type { BlobService } from "./blob-service.ts";
import {
  type BlobName,
  createBlob,
  deleteBlob,
  readProperties,
  resizeBlob,
  snapshotBlob,
  writePages,
} from "./handle-blobs.ts";
import { readPageRanges } from "./handle-page-ranges.ts";

/** Errors have the same form as in the queue service. */
const blobForms: ResponseForms = {
  ...queueForms,
  product: "Windows-Azure-Blob/1.0",
  beginning: (method) => ({
    status: method === "GET" ? 200 : 201,
    type: "application/xml",
    text: '<?xml version="1.0" encoding="utf-8"?><PageList><PageRa',
  }),
};

/** The protocol of the blob service, for page blobs. */
export const blobProtocol = (
  service: BlobService,
): WireProtocol<BlobResource, RequestAccess<BlobResource>> => ({
  forms: blobForms,
  signatures: blobSignatures((container) => service.settings.policiesOf(container)),
  parseResource: parseBlobResource,
  methodOf: (method) => method,
  isRead: (head) => isReadOperation(operationOf(head)),
  limitsOf: ({ query }) => {
    const comp = query.get("comp");
    const isBinary = comp === "page";
    return {
      maxBodyBytes: isBinary ? maxBodyBytes : maxSettingsBytes,
      isScan: comp === "pagelist",
      isBinary,
    };
  },
  response: (request, admitted) => route(request, admitted, service),
});

async function route(
  request: ProtocolRequest<BlobResource>,
  { isSecondary }: AdmittedRequest<BlobResource, RequestAccess<BlobResource>>,
  service: BlobService,
): Promise<ProtocolResponse> {
  const { resource } = request;
  switch (resource.type) {
    case "service":
      return service.settings.handleService(request, isSecondary);
    case "container":
      return routeContainer(request, resource.container, service);
    case "blob":
      return routeBlob(request, resource, service);
    default:
      return resource satisfies never;
  }
}

async function routeContainer(
  request: ProtocolRequest<BlobResource>,
  container: string,
  { blobs, settings }: BlobService,
): Promise<ProtocolResponse> {
  const operation = operationOf(request);
  if (operation === "createContainer") {
    blobs.createContainer(container);
    return { status: 201, headers: {} };
  }
  blobs.requireContainer(container);
  if (operation === "readPolicies" || operation === "writePolicies") {
    const response = await settings.handlePolicies(request, container);
    return response.status === 204 ? { ...response, status: 200 } : response;
  }
  if (operation !== "deleteContainer") return { status: 200, headers: {} };
  await settings.removePolicies(await settings.readPolicies(container));
  blobs.deleteContainer(container);
  return { status: 202, headers: {} };
}

function routeBlob(
  request: ProtocolRequest<BlobResource>,
  { container, blob }: BlobName,
  service: BlobService,
): ProtocolResponse {
  const { blobs } = service;
  const found = (): ReturnType<typeof blobs.get> => blobs.get(container, blob, request.query.get("snapshot"));
  const operation = operationOf(request);
  switch (operation) {
    case "createBlob":
      return createBlob(request, { container, blob }, blobs);
    case "writePages":
      return writePages(request, { container, blob }, blobs);
    case "resizeBlob":
      return resizeBlob(request, { container, blob }, blobs);
    case "snapshotBlob":
      return snapshotBlob(request, { container, blob }, blobs);
    case "deleteBlob":
      return deleteBlob(request, { container, blob }, blobs);
    case "readProperties":
      return readProperties(request, found());
    case "readPageRanges":
      return readPageRanges(request, found(), service);
    default:
      // The content of pages is not stored.
      throw new ServiceFault("NotImplemented");
  }
}
