import type { AreaPages, ErrorPage } from "../error-page.ts";

// Codes that only a service can answer with. Source: learn.microsoft.com "Table Storage error codes", "Common REST API error
// codes" and "Queue Storage error codes". A response without a code gets one made of its HTTP status.

const described: Readonly<Record<string, readonly [cause: string, remedy: string]>> = {
  "account-is-disabled": [
    "The storage account is disabled, for example because its subscription is disabled.",
    "Enable the account or its subscription in the Azure portal.",
  ],
  "authentication-failed": [
    "The service does not accept the signature or the token of the request.",
    "Check the account name and the account key, or the shared access signature and its time of expiry.",
  ],
  "authorization-failure": [
    "The request is not allowed. Often a firewall of the storage account refuses your network.",
    "Check the network rules of the account, and the account key or the shared access signature.",
  ],
  "authorization-permission-mismatch": [
    "The credential lacks a permission for this request.",
    "Assign a role such as Storage Table Data Contributor, or make a signature with this permission. A new role can take some minutes.",
  ],
  "authorization-resource-type-mismatch": [
    "A shared access signature of the account does not include this type of resource.",
    "Make a signature that includes it, such as tables and entities.",
  ],
  "condition-not-met": [
    "A condition of the request is not met: the resource changed in the meantime. For page ranges, Partita reports `blobs.changed`.",
    "Read the resource again.",
  ],
  "blob-not-found": [
    "The blob does not exist. Names of blobs distinguish upper and lower case.",
    "Check the names of the container and the blob, and the time of the snapshot.",
  ],
  "container-not-found": [
    "The container of the blob does not exist.",
    "Check the name of the container, and that the account is the one you mean.",
  ],
  "duplicate-properties-specified": [
    "A row has a property twice. The service ignores upper and lower case in names here.",
    "Give the properties different stored names.",
  ],
  "insufficient-account-permissions": [
    "The account does not allow this operation.",
    "Check the type of the account and the permissions of your credential.",
  ],
  "internal-error": [
    "The service had an internal error. A write may have been applied.",
    "Partita retries by default. If a save reports the change as unknown, call `resolveInDoubt()` or save again.",
  ],
  "invalid-authentication-info": [
    "The service cannot read the credential of the request.",
    "Check the account name and the account key, or the shared access signature.",
  ],
  "invalid-blob-type": [
    "The blob is no page blob, so it has no page ranges. Disks of virtual machines usually are page blobs.",
    "Name a page blob.",
  ],
  "invalid-header-value": [
    "A header of the request has a value that this service does not accept, such as a newer API version.",
    "Update the emulator. With Azurite, the option `--skipApiVersionCheck` can help.",
  ],
  "json-format-not-supported": [
    "The service does not accept JSON, which very old emulators don't.",
    "Use Azurite or the server of Partita instead of the old storage emulator.",
  ],
  "message-not-found": [
    "The message of a queue does not exist: another program removed it, or it expired.",
    "Treat the message as done. To hold a message for longer, receive it with a larger `visibilityMs`.",
  ],
  "not-implemented": [
    "The service does not support this operation.",
    "Check that the endpoint is a table service. Emulators don't support every operation.",
  ],
  "pop-receipt-mismatch": [
    "The receipt of a message is outdated: the message was received or updated again since then.",
    "Use the receipt of the last `receive()` or `update()`. Receive with a larger `visibilityMs` if your work takes longer.",
  ],
  "queue-being-deleted": [
    "A queue with this name was deleted recently. Deleting takes 40 seconds or more.",
    "Try again later, or use another name.",
  ],
  "invalid-query-parameter-value": [
    "A parameter in the URL of the request is not valid for the service.",
    "Check the endpoint and the shared access signature.",
  ],
  "invalid-uri": [
    "The URL of the request is not valid for the service.",
    "Check the endpoint: the account name may belong into its path or its host.",
  ],
  "invalid-xml-document": [
    "The service cannot read the XML of the request, for example because a message has a control character.",
    'Remove the character, or open the queues with `messageEncoding: "base64"`.',
  ],
  "message-too-large": [
    "A message is larger than the queue accepts.",
    "Store the data in an entity or a blob, and send its key.",
  ],
  "missing-required-header": [
    "The service misses a header. Often a proxy removed it.",
    "Check the proxy between your program and the service.",
  ],
  "out-of-range-query-parameter-value": [
    "A parameter in the URL of the request is outside its range.",
    "Check the options of the call.",
  ],
  "queue-disabled": ["The queue is disabled.", "Enable the queue in the Azure portal."],
  "queue-not-found": ["The queue does not exist.", "Create it with `createQueue(name)`."],
  "request-timeout": [
    "The service waited too long for the request. A write may have been applied.",
    "Partita retries by default. Check the network if it happens often.",
  ],
  "table-being-deleted": [
    "A table with this name was deleted recently. Deleting takes 40 seconds or more.",
    "Try again later, or use another name.",
  ],
  "too-many-requests": [
    "You sent more requests than the service accepts, for example more than the throughput of Cosmos DB allows.",
    "Partita retries and slows down by default. Increase the throughput, or send fewer requests at the same time.",
  ],
  status400: [
    "The service cannot read the request, and its response has no code.",
    "Check the endpoint and the filter.",
  ],
  status401: [
    "The request has no valid credential.",
    "Check the credential, and that the endpoint accepts it.",
  ],
  status403: [
    "The request is not allowed, and its response has no code.",
    "Check the credential and the network rules of the account.",
  ],
  status404: [
    "The resource does not exist, and the response has no code.",
    "Check the endpoint: the account name may belong into its path or its host.",
  ],
  status405: ["The server does not support this request.", "Check that the endpoint is a table service."],
  status408: [
    "The server waited too long for the request. A write may have been applied.",
    "Partita retries by default. Check the network.",
  ],
  status409: ["The request conflicts with the state of the resource.", "Read the resource again."],
  status412: ["A condition of the request is not met.", "Read the resource again."],
  status413: [
    "The request is too large for the service or a proxy.",
    "Send less at a time, and check the limits of the proxy.",
  ],
  status429: [
    "You sent more requests than the service accepts.",
    "Partita retries and slows down by default. Send fewer requests at the same time.",
  ],
  status500: [
    "The server had an internal error. A write may have been applied.",
    "Partita retries by default.",
  ],
  status501: ["The server does not support this operation.", "Check that the endpoint is a table service."],
  status502: [
    "A gateway got no valid response from the service. A write may have been applied.",
    "Partita retries by default. Check the proxy.",
  ],
  status503: [
    "The service is not available now. A write may have been applied.",
    "Partita retries by default.",
  ],
  status504: [
    "A gateway got no response in time. A write may have been applied.",
    "Partita retries by default. Check the proxy.",
  ],
};

/** Examples over queues in a storage. */
const examples: Readonly<Record<string, string>> = {
  "message-not-found": `
const queues = tableQueues(storage);
await queues.createQueue("orders");
await queues.put("orders", "7");
const [message] = await queues.receive("orders", { visibilityMs: 30_000 });
if (message !== undefined) {
  await queues.remove("orders", message);
  await queues.remove("orders", message); // it no longer exists
}`,
  "pop-receipt-mismatch": `
const queues = tableQueues(storage);
await queues.createQueue("orders");
await queues.put("orders", "7");
const [message] = await queues.receive("orders", { visibilityMs: 30_000 });
if (message !== undefined) {
  await queues.update("orders", message, { visibilityMs: 60_000 }); // returns a new receipt
  await queues.remove("orders", message);
}`,
  "queue-not-found": `
await tableQueues(storage).put("orders", "7");`,
};

/** The fault of `withFaults` that makes such a response. */
const faults: Readonly<Record<string, string>> = {
  "internal-error": "error",
  "request-timeout": "request-timeout",
  "too-many-requests": "throttled",
  status502: "bad-gateway",
  status504: "gateway-timeout",
};

function pageOf(name: string, [cause, remedy]: readonly [string, string]): ErrorPage {
  const example = examples[name];
  if (example !== undefined) return { cause, remedy, example };
  const fault = faults[name];
  if (fault === undefined)
    return {
      cause,
      remedy,
      needs: "a service that refuses the request",
      example: `
try {
  await context.find(Blog, key);
} catch (error) {
  if (!(error instanceof StorageError) || error.code !== "storage.${name}") throw error;
  console.error(error.status, error.message, error.requestId);
}`,
    };
  return {
    cause,
    remedy,
    example: `
const faulty = withFaults(storage, writeFaults("${fault}-before"));
const unlucky = new TableContext(faulty, { retry: noRetry, clock: virtualClock() });
unlucky.create(Blog, { channel: "news", slug: "new", title: "New" });
await unlucky.saveChanges();`,
  };
}

/** Codes that are made of a service's response. */
export const serviceCodes: readonly string[] = Object.keys(described).map((name) => `storage.${name}`);

export const servicePages: AreaPages = Object.fromEntries(
  Object.entries(described).map(([name, texts]) => [`storage.${name}`, pageOf(name, texts)]),
);
