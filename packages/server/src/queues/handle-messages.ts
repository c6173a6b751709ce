import type { MessageReceipt } from "@partita/queues";
import { noContent, type ProtocolResponse, type ProtocolRequest } from "../wire/protocol-request.ts";
import { ServiceFault } from "../wire/service-fault.ts";
import { xmlResponse } from "../wire/xml-document.ts";
import {
  peekedXml,
  readMessageText,
  receivedXml,
  sentXml,
  storedReceipt,
  wireReceipt,
} from "./message-xml.ts";
import { numberIn, requiredIn } from "../wire/query-numbers.ts";
import type { QueueResource } from "./queue-resource.ts";
import type { QueueService } from "./queue-service.ts";

type QueueRequest = ProtocolRequest<QueueResource>;

/** The longest time in seconds that a message may be invisible, and its default lifetime. Source: "Put Message". */
const maxSeconds = 7 * 24 * 60 * 60;
/** The default visibility timeout of a received message, in seconds. Source: "Get Messages". */
const usualSeconds = 30;
/** Number of messages per request. */
const counts = { least: 1, most: 32 } as const;

/** From this version on, the response to a put contains the message's ID and times. */
const answeredVersion = "2016-05-31";

export async function putMessage(
  { query, body, version }: QueueRequest,
  queue: string,
  { queues }: QueueService,
): Promise<ProtocolResponse> {
  const hiddenSeconds = numberIn(query, "visibilitytimeout", { least: 0, most: maxSeconds }) ?? 0;
  const lifeSeconds = numberIn(query, "messagettl", { least: -1, most: Infinity }) ?? maxSeconds;
  if (lifeSeconds === 0 || (lifeSeconds > 0 && hiddenSeconds > 0 && hiddenSeconds >= lifeSeconds))
    throw new ServiceFault("OutOfRangeQueryParameterValue");
  const text = await readMessageText(body);
  const options = {
    visibleAfterMs: hiddenSeconds * 1000,
    timeToLiveMs:
      lifeSeconds < 0 ? ("never" as const) : Math.min(lifeSeconds * 1000, Number.MAX_SAFE_INTEGER),
  };
  const sent = await queues.put(queue, text, options);
  return version < answeredVersion ? { status: 201, headers: {} } : xmlResponse(sentXml(sent), 201);
}

export async function receiveMessages(
  { query }: QueueRequest,
  queue: string,
  { queues }: QueueService,
): Promise<ProtocolResponse> {
  const max = numberIn(query, "numofmessages", counts) ?? 1;
  const seconds = numberIn(query, "visibilitytimeout", { least: 1, most: maxSeconds }) ?? usualSeconds;
  const options = { max, visibilityMs: seconds * 1000 };
  return xmlResponse(receivedXml(await queues.receive(queue, options)));
}

export async function peekMessages(
  { query }: QueueRequest,
  queue: string,
  { queues }: QueueService,
): Promise<ProtocolResponse> {
  const max = numberIn(query, "numofmessages", counts) ?? 1;
  return xmlResponse(peekedXml(await queues.peek(queue, { max })));
}

export async function clearMessages(queue: string, { queues }: QueueService): Promise<ProtocolResponse> {
  await queues.clear(queue);
  return noContent();
}

export async function updateMessage(
  { query, body }: QueueRequest,
  queue: string,
  id: string,
  { queues }: QueueService,
): Promise<ProtocolResponse> {
  const message = heldMessage(query, id);
  const seconds = requiredIn(numberIn(query, "visibilitytimeout", { least: 0, most: maxSeconds }));
  const text = body === "" ? undefined : await readMessageText(body);
  const options = { visibilityMs: seconds * 1000, text };
  const updated = await queues.update(queue, message, options);
  return noContent({
    "x-ms-popreceipt": wireReceipt(updated.receipt),
    "x-ms-time-next-visible": updated.visibleAt.toUTCString(),
  });
}

export async function removeMessage(
  { query }: QueueRequest,
  queue: string,
  id: string,
  { queues }: QueueService,
): Promise<ProtocolResponse> {
  const message = heldMessage(query, id);
  await queues.remove(queue, message);
  return noContent();
}

/** The receipt in a request; some clients do not encode its plus signs. */
const heldMessage = (query: ReadonlyMap<string, string>, id: string): MessageReceipt => ({
  id,
  receipt: storedReceipt(requiredIn(query.get("popreceipt")).replaceAll(" ", "+")),
});
