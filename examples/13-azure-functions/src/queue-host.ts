import { InvocationContext, type StorageQueueHandler } from "@azure/functions";
import { QueueServiceClient } from "@azure/storage-queue";

/**
 * Deliveries of a message before the host moves it to the poison queue. Source: host.json, "maxDequeueCount".
 */
const maxDequeueCount = 5;

/**
 * Runs a function for each message of a queue until it is empty, like the Functions host: texts are base64,
 * JSON is parsed, a message is removed when the function returns, and one that failed too often goes to
 * `<queue>-poison`. There are no delays: failed messages are visible again immediately.
 */
export async function runQueueTrigger(
  connectionString: string,
  queue: string,
  handler: StorageQueueHandler,
  logHandler: (message: string) => void,
): Promise<void> {
  const service = QueueServiceClient.fromConnectionString(connectionString);
  const [messages, poison] = [service.getQueueClient(queue), service.getQueueClient(`${queue}-poison`)];
  for (;;) {
    const { receivedMessageItems } = await messages.receiveMessages({ numberOfMessages: 16 });
    if (receivedMessageItems.length === 0) return;
    for (const { messageId, popReceipt, messageText, dequeueCount } of receivedMessageItems) {
      const context = new InvocationContext({
        functionName: "shipOrder",
        triggerMetadata: { id: messageId, dequeueCount },
        logHandler: (_level, ...parts) => logHandler(parts.join(" ")),
      });
      try {
        await handler(parsed(Buffer.from(messageText, "base64").toString("utf8")), context);
        await messages.deleteMessage(messageId, popReceipt);
      } catch (error) {
        logHandler(`Try ${dequeueCount} failed: ${String(error)}`);
        if (dequeueCount < maxDequeueCount) await messages.updateMessage(messageId, popReceipt);
        else {
          await poison.createIfNotExists();
          await poison.sendMessage(messageText);
          await messages.deleteMessage(messageId, popReceipt);
        }
      }
    }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
