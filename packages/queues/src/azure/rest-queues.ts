import { StorageError } from "@partita/core";
import { systemClock, timeLimitsOf, TokenWatch } from "@partita/core/internal";
import {
  authorizerFor,
  malformedXml,
  queueRequestSigner,
  queueService,
  type RawResponse,
  readAccount,
  RestClient,
  type RestRequest,
  textOf,
} from "@partita/core/internal/azure";
import {
  checkPeek,
  checkPut,
  checkQueueName,
  checkQueueRequest,
  checkReceipt,
  checkReceive,
  checkUpdate,
} from "../port/check-queues.ts";
import { aboutQueue } from "../port/queue-errors.ts";
import type {
  MessageReceipt,
  PeekedMessage,
  PeekOptions,
  PutOptions,
  QueueRequestOptions,
  QueueStorage,
  ReceivedMessage,
  ReceiveOptions,
  SentMessage,
  UpdatedMessage,
  UpdateOptions,
} from "../port/queue-storage.ts";
import { base64Encoding, type MessageEncoding, textEncoding } from "./message-encoding.ts";
import { openQueuesCall, type OpenQueuesOptions } from "./queue-options.ts";
import {
  countOf,
  deliveriesOf,
  type FoundMessage,
  parseMessages,
  parseQueues,
  printMessage,
  receiptOf,
  storedTextOf,
  timeOf,
} from "./queue-xml.ts";

/** 32 messages of 64 KiB, where each byte may be a reference of 6 characters. */
const maxMessagesBytes = 16 * 1024 * 1024;

/** The longest time to live that the service accepts. */
const maxSeconds = 2 ** 31 - 1;

/**
 * Opens the queues of an account with their REST protocol: Azure Queue storage, Azurite. Nothing is sent
 * until the first request. Every request is sent once, redirects are not followed, and the key is never sent.
 *
 * @param target - a connection string, or the URL of the queue endpoint
 * @throws StorageError `storage.connection-string`; OptionError `storage.option`
 */
export async function openRestQueues(target: string, options: OpenQueuesOptions): Promise<QueueStorage> {
  const account = readAccount(target, options, queueService);
  const { clock = systemClock, protocolVersion = "2019-02-02" } = options;
  const limits = timeLimitsOf(options.timeouts);
  const authorizer = authorizerFor(account.credential, {
    signerOf: queueRequestSigner,
    call: openQueuesCall,
    scope: "https://storage.azure.com/.default",
    tokenTimeoutMs: limits.readMs,
    clock,
    isSecure: account.endpoint.protocol === "https:" || options.allowInsecure === true,
  });
  const format = { accept: "application/xml", contentType: "application/xml" };
  const client = await RestClient.open({
    connection: options,
    account,
    authorizer,
    format,
    version: protocolVersion,
    limits,
    clock,
  });
  const encoding = options.messageEncoding === "text" ? textEncoding : base64Encoding;
  return new RestQueues(client, encoding);
}

/** One request to a queue. */
interface QueueRequest extends Omit<RestRequest, "path"> {
  readonly queue: string;
  /** The path after the queue's name. */
  readonly rest?: string;
}

class RestQueues implements QueueStorage {
  readonly description: string;
  readonly maxTextBytes: number;
  readonly #client: RestClient;
  readonly #encoding: MessageEncoding;

  constructor(client: RestClient, encoding: MessageEncoding) {
    this.#client = client;
    this.#encoding = encoding;
    this.description = client.url;
    this.maxTextBytes = encoding.maxTextBytes;
  }

  async createQueue(queue: string, options?: QueueRequestOptions): Promise<void> {
    checkQueueName(queue);
    checkQueueRequest(options);
    try {
      // 204 means that it exists without metadata.
      await this.#send({ queue, method: "PUT", isWrite: true, success: [201, 204] }, options);
    } catch (error) {
      // It exists with metadata of another program.
      if (!StorageError.is(error) || error.serviceCode !== "QueueAlreadyExists") throw error;
    }
  }

  async deleteQueue(queue: string, options?: QueueRequestOptions): Promise<void> {
    checkQueueName(queue);
    checkQueueRequest(options);
    await this.#send({ queue, method: "DELETE", isWrite: true, success: [204] }, options);
  }

  async listQueues(options?: QueueRequestOptions): Promise<readonly string[]> {
    checkQueueRequest(options);
    const found: string[] = [];
    const markers = new TokenWatch();
    let marker: string | undefined;
    do {
      const response = await this.#client.send(
        { method: "GET", path: "/", query: { comp: "list", marker }, isWrite: false },
        options,
      );
      const { names, next } = parseQueues(response.text());
      found.push(...names);
      if (next !== undefined && (next === marker || markers.repeats(next)))
        throw malformedXml("it repeats a marker");
      marker = next;
    } while (marker !== undefined);
    return found.toSorted();
  }

  async put(queue: string, text: string, options: PutOptions = {}): Promise<SentMessage> {
    checkQueueName(queue);
    checkPut(options);
    const body = printMessage(this.#encoding.encode(queue, text));
    const query = lifeOf(options);
    const [message] = await this.#messages(
      { queue, rest: "/messages", method: "POST", query, body, isWrite: true, success: [201] },
      options,
      (found) => ({ ...datesOf(found), ...receiptOf(found) }),
    );
    if (message === undefined) throw malformedXml("it contains no message").asMaybeApplied();
    return message;
  }

  async receive(queue: string, options: ReceiveOptions): Promise<readonly ReceivedMessage[]> {
    checkQueueName(queue);
    checkReceive(options);
    const query = {
      numofmessages: options.max?.toString(),
      visibilitytimeout: secondsOf(options.visibilityMs),
    };
    // After a lost response, the messages stay invisible, and each has one more delivery.
    return this.#messages(
      { queue, rest: "/messages", method: "GET", query, maxBytes: maxMessagesBytes, isWrite: true },
      options,
      (found) => ({ ...this.#shown(found), ...receiptOf(found) }),
    );
  }

  async peek(queue: string, options?: PeekOptions): Promise<readonly PeekedMessage[]> {
    checkQueueName(queue);
    checkPeek(options);
    const query = { peekonly: "true", numofmessages: options?.max?.toString() };
    return this.#messages(
      { queue, rest: "/messages", method: "GET", query, maxBytes: maxMessagesBytes, isWrite: false },
      options,
      (found) => this.#shown(found),
    );
  }

  async update(queue: string, message: MessageReceipt, options: UpdateOptions): Promise<UpdatedMessage> {
    checkQueueName(queue);
    const { id, receipt } = checkReceipt(queue, message);
    checkUpdate(options);
    const { text, visibilityMs } = options;
    const body = text === undefined ? undefined : printMessage(this.#encoding.encode(queue, text));
    const { headers } = await this.#send(
      {
        queue,
        rest: messagePath(id),
        method: "PUT",
        query: { popreceipt: receipt, visibilitytimeout: secondsOf(visibilityMs) },
        ...(body !== undefined && { body }),
        isWrite: true,
        success: [204],
      },
      options,
    );
    const next = textOf(headers["x-ms-popreceipt"]);
    const visibleAt = timeOf(textOf(headers["x-ms-time-next-visible"]) ?? "");
    if (next === undefined || visibleAt === undefined) throw withoutHeader("the message's new receipt");
    return { id, receipt: next, visibleAt };
  }

  async remove(queue: string, message: MessageReceipt, options?: QueueRequestOptions): Promise<void> {
    checkQueueName(queue);
    const { id, receipt } = checkReceipt(queue, message);
    checkQueueRequest(options);
    const query = { popreceipt: receipt };
    await this.#send(
      { queue, rest: messagePath(id), method: "DELETE", query, isWrite: true, success: [204] },
      options,
    );
  }

  async clear(queue: string, options?: QueueRequestOptions): Promise<void> {
    checkQueueName(queue);
    checkQueueRequest(options);
    await this.#send({ queue, rest: "/messages", method: "DELETE", isWrite: true, success: [204] }, options);
  }

  async approximateCount(queue: string, options?: QueueRequestOptions): Promise<number> {
    checkQueueName(queue);
    checkQueueRequest(options);
    const query = { comp: "metadata" };
    const { headers } = await this.#send({ queue, method: "GET", query, isWrite: false }, options);
    const count = countOf(textOf(headers["x-ms-approximate-messages-count"]) ?? "");
    if (count === undefined) throw withoutHeader("the count of messages", "no");
    return count;
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #send(
    { queue, rest = "", ...request }: QueueRequest,
    options: QueueRequestOptions | undefined,
  ): Promise<RawResponse> {
    try {
      return await this.#client.send({ ...request, path: `/${queue}${rest}` }, options);
    } catch (error) {
      throw StorageError.is(error) ? aboutQueue(error, queue) : error;
    }
  }

  /** Maps the messages of a response. */
  async #messages<Message>(
    request: QueueRequest,
    options: QueueRequestOptions | undefined,
    make: (found: FoundMessage) => Message,
  ): Promise<readonly Message[]> {
    const response = await this.#send(request, options);
    try {
      return parseMessages(response.text()).map(make);
    } catch (error) {
      throw StorageError.is(error) && request.isWrite ? error.asMaybeApplied() : error;
    }
  }

  #shown(found: FoundMessage): PeekedMessage {
    return {
      ...datesOf(found),
      ...this.#encoding.decode(storedTextOf(found)),
      deliveries: deliveriesOf(found),
    };
  }
}

const datesOf = ({
  id,
  insertedAt,
  expiresAt,
}: FoundMessage): Omit<SentMessage, "receipt" | "visibleAt"> => ({
  id,
  insertedAt,
  ...(expiresAt !== undefined && { expiresAt }),
});

const messagePath = (id: string): string => `/messages/${encodeURIComponent(id.toWellFormed())}`;

const secondsOf = (ms: number): string => String(Math.ceil(ms / 1000));

/** The visibility and the time to live. Rounding must not let a message expire before it is visible. */
function lifeOf({ visibleAfterMs, timeToLiveMs }: PutOptions): Record<string, string | undefined> {
  const visibilitytimeout = visibleAfterMs === undefined ? undefined : secondsOf(visibleAfterMs);
  if (timeToLiveMs === undefined) return { visibilitytimeout };
  if (timeToLiveMs === "never") return { visibilitytimeout, messagettl: "-1" };
  const least = Number(visibilitytimeout ?? 0) + 1;
  const seconds = Math.min(Math.max(Math.ceil(timeToLiveMs / 1000), least), maxSeconds);
  return { visibilitytimeout, messagettl: String(seconds) };
}

const withoutHeader = (what: string, applied: "no" | "maybe" = "maybe"): StorageError =>
  new StorageError(
    "storage.malformed-response",
    `The response cannot be read: ${what} is missing. Check that the endpoint is a queue service.`,
    { applied },
  );
