import { StorageError } from "@partita/core";
import { escapeXml, xmlDeclaration } from "@partita/core/protocol";
import { noContent, type ProtocolResponse, type ProtocolRequest } from "../wire/protocol-request.ts";
import { ServiceFault } from "../wire/service-fault.ts";
import { xmlResponse } from "../wire/xml-document.ts";
import { isSameMetadata, metadataHeaders, metadataOf } from "./metadata-headers.ts";
import { numberIn } from "../wire/query-numbers.ts";
import { metadataXml } from "./queue-metadata.ts";
import type { QueueResource } from "./queue-resource.ts";
import type { QueueService } from "./queue-service.ts";

type QueueRequest = ProtocolRequest<QueueResource>;

/** Maximum number of queues per page. Source: learn.microsoft.com "List Queues". */
const maxListed = 5000;

export async function listQueues(
  { query, base }: QueueRequest,
  { queues, metadata }: QueueService,
): Promise<ProtocolResponse> {
  const [prefix, marker] = [query.get("prefix") ?? "", query.get("marker") ?? ""];
  const asked = numberIn(query, "maxresults", { least: 1, most: Number.MAX_SAFE_INTEGER });
  const include = (query.get("include") ?? "").split(",").filter((part) => part !== "");
  if (!include.every((part) => part === "metadata")) throw new ServiceFault("InvalidQueryParameterValue");
  // The marker is the name of the next page's first queue.
  if (!/^[a-z0-9-]*$/.test(marker)) throw new ServiceFault("InvalidMarker");
  const names = await queues.listQueues();
  const included = include.length > 0 ? await metadata.ofAll() : undefined;
  const found = names.filter((name) => name.startsWith(prefix) && name >= marker);
  const limit = Math.min(asked ?? maxListed, maxListed);
  const listed = found.slice(0, limit).map((name) => {
    const inside = included === undefined ? "" : metadataXml(included.get(name) ?? new Map());
    return `<Queue>${text("Name", name)}${inside}</Queue>`;
  });
  const given = ["prefix", "marker", "maxresults"].map((name) => {
    const value = query.get(name);
    return value === undefined ? "" : text(elements[name] as string, value);
  });
  return xmlResponse(
    `${xmlDeclaration}<EnumerationResults ServiceEndpoint="${escapeXml(base)}/">${given.join("")}` +
      `<Queues>${listed.join("")}</Queues>${text("NextMarker", found[limit] ?? "")}</EnumerationResults>`,
  );
}

const elements: Readonly<Record<string, string>> = {
  prefix: "Prefix",
  marker: "Marker",
  maxresults: "MaxResults",
};

const text = (name: string, value: string): string => `<${name}>${escapeXml(value)}</${name}>`;

/**
 * Responds with 201 for a new queue, and 204 for an existing one with the same metadata. If several servers create a
 * queue, one of them confirms its claim and has created it. The others check again.
 *
 * @throws ServiceFault `QueueAlreadyExists`
 */
export async function createQueue(
  { headers }: QueueRequest,
  queue: string,
  service: QueueService,
): Promise<ProtocolResponse> {
  const { queues, metadata, settings } = service;
  const given = metadataOf(headers());
  for (;;) {
    // Both are read before the check: if the queue does not exist, they belong to a deleted one.
    const [policies, former] = [await settings.readPolicies(queue), await metadata.read(queue)];
    if (await isThere(queue, service)) {
      if (isSameMetadata(given, await metadata.of(queue))) return noContent();
      throw new ServiceFault("QueueAlreadyExists");
    }
    const claim = await metadata.claim(queue, given, former);
    if (claim === undefined) continue;
    await settings.removePolicies(policies);
    await queues.createQueue(queue);
    if (await metadata.confirm(claim)) return { status: 201, headers: {} };
  }
}

export async function deleteQueue(
  queue: string,
  { queues, metadata, settings }: QueueService,
): Promise<ProtocolResponse> {
  const [policies, former] = [await settings.readPolicies(queue), await metadata.read(queue)];
  await queues.deleteQueue(queue);
  await settings.removePolicies(policies);
  await metadata.remove(former);
  return noContent();
}

export async function readMetadata(
  queue: string,
  { queues, metadata }: QueueService,
): Promise<ProtocolResponse> {
  const count = await queues.approximateCount(queue);
  return {
    status: 200,
    headers: {
      ...metadataHeaders(await metadata.of(queue)),
      "x-ms-approximate-messages-count": String(count),
    },
  };
}

export async function writeMetadata(
  { headers }: QueueRequest,
  queue: string,
  service: QueueService,
): Promise<ProtocolResponse> {
  const given = metadataOf(headers());
  await requireQueue(queue, service);
  await service.metadata.set(queue, given);
  return noContent();
}

/** Reads or writes `comp=acl`. */
export async function handleQueuePolicies(
  request: QueueRequest,
  queue: string,
  service: QueueService,
): Promise<ProtocolResponse> {
  await requireQueue(queue, service);
  return service.settings.handlePolicies(request, queue);
}

/** @throws StorageError `storage.queue-not-found` */
export async function requireQueue(queue: string, { unwrapped }: QueueService): Promise<void> {
  await unwrapped.peek(queue);
}

async function isThere(queue: string, service: QueueService): Promise<boolean> {
  try {
    await requireQueue(queue, service);
    return true;
  } catch (error) {
    if (StorageError.is(error) && error.serviceCode === "QueueNotFound") return false;
    throw error;
  }
}
