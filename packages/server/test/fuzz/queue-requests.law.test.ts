import { openStorage } from "@partita/core";
import { tableQueues } from "@partita/queues";
import { accountSasText } from "@partita/account/protocol";
import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { mutations } from "@partita/test-support/mutations";
import { manualClock } from "@partita/testing";
import { signatureKey } from "../../src/authorization/signature-key.ts";
import { admitRequest } from "../../src/http/admit-request.ts";
import { QueueMetadata } from "../../src/queues/queue-metadata.ts";
import { queueProtocol } from "../../src/queues/queue-protocol.ts";
import type { QueueService } from "../../src/queues/queue-service.ts";
import { ServiceSettings } from "../../src/settings/service-settings.ts";
import type { ProtocolResponse } from "../../src/wire/protocol-request.ts";

const executions = process.env["PARTITA_LONG"] === "1" ? 50_000 : 2000;

const account = "acct";
const key = Buffer.from("a key").toString("base64");
const clock = manualClock();

/** A signature for everything; it does not depend on the request. */
function sas(): string {
  const parameters = { sv: "2019-02-02", ss: "q", srt: "sco", sp: "rwdlacup", se: "2999-01-01" };
  const text = accountSasText(account, parameters);
  const sig = createHmac("sha256", Buffer.from(key, "base64")).update(text).digest("base64");
  return new URLSearchParams({ ...parameters, sig }).toString();
}

// The method, the URL, a header of metadata and the body, each on a line.
const message = "<QueueMessage><MessageText>x</MessageText></QueueMessage>";
const seeds = [
  `POST\n/acct/orders/messages?visibilitytimeout=0&messagettl=60\n\n${message}`,
  "GET\n/acct/orders/messages?numofmessages=32&visibilitytimeout=1\n\n",
  "GET\n/acct/orders/messages?peekonly=true\n\n",
  `PUT\n/acct/orders/messages/id?popreceipt=cmVjZWlwdA==&visibilitytimeout=0\n\n${message}`,
  "DELETE\n/acct/orders/messages/id?popreceipt=cmVjZWlwdA==\n\n",
  "PUT\n/acct/orders?comp=metadata\nx-ms-meta-colour:red\n",
  "PUT\n/acct/other-orders\nx-ms-meta-colour:red\n",
  "GET\n/acct/orders?comp=metadata\n\n",
  "GET\n/acct/?comp=list&prefix=o&maxresults=1&include=metadata\n\n",
  "PUT\n/acct/?restype=service&comp=properties\n\n<StorageServiceProperties><Cors/></StorageServiceProperties>",
  "OPTIONS\n/acct/orders\norigin:https://a.example\n",
];
const tokens = [
  "%",
  "%00",
  "/",
  "?",
  "&",
  "=",
  "-",
  "messages",
  "comp=",
  "&#7;",
  "<![CDATA[",
  "]]>",
  "<",
  "&amp;",
];

async function queueService(): Promise<QueueService> {
  const storage = await openStorage("memory:", { clock });
  const queues = tableQueues(storage, { clock });
  await queues.createQueue("orders");
  const names = { properties: "queue-properties", policies: "queue-policies", permissions: "raup" } as const;
  return {
    queues,
    unwrapped: queues,
    metadata: new QueueMetadata(storage),
    settings: new ServiceSettings(storage, names, () => clock.now()),
    probe: async () => undefined,
    account,
    key: signatureKey(key),
    scheme: "http",
    now: () => clock.now(),
  };
}

test("any request to queues is answered as the service does, and never fails in the server", async () => {
  const service = await queueService();
  const protocol = queueProtocol(service);
  const suffix = sas();
  const inputs = mutations({ seed: 18, seeds, tokens });
  const statuses = new Map<number, number>();
  for (let i = 0; i < executions; i++) {
    const input = inputs.next().value;
    const [method = "", path = "", header = "", ...body] = input.split("\n");
    const [name = "", ...value] = header.split(":");
    const given = new Map([[name.toLowerCase(), value.join(":")]]);
    const admission = await admitRequest(
      {
        method,
        url: `${path}${path.includes("?") ? "&" : "?"}${suffix}`,
        header: (asked) => given.get(asked),
        headers: () => (name === "" ? [] : [[name, value.join(":")]]),
        address: "127.0.0.1",
      },
      service,
      protocol,
    );
    const response = (
      "refusal" in admission ? admission.refusal : await admission.response(Buffer.from(body.join("\n")))
    ) as ProtocolResponse;
    if (response.status >= 500)
      throw new Error(`${response.status} for ${JSON.stringify(input)}: ${String(response.body)}`);
    // What Node refuses to send would end the connection without a word.
    for (const text of Object.values(response.headers)) expect(text).toMatch(/^[\t\u0020-\u007e]*$/);
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
  }

  // A fuzzer that is always refused at once would test nothing.
  for (const status of [200, 201, 204, 400, 404])
    expect(statuses.get(status)).toBeGreaterThan(executions / 500);
});
