import { TableError } from "@partita/core";
import { isLong } from "@partita/test-support/effort";
import { mutations } from "@partita/test-support/mutations";
import { expect, test } from "vitest";
import { base64Encoding } from "../../src/azure/message-encoding.ts";
import {
  deliveriesOf,
  parseMessages,
  parseQueues,
  receiptOf,
  storedTextOf,
} from "../../src/azure/queue-xml.ts";

// Long form: 100,000 executions of each.
const executions = isLong ? 100_000 : 10_000;

const tokens = [
  "<",
  ">",
  "&",
  "&#x1;",
  "&#1114112;",
  "&lt;",
  "</",
  "/>",
  "<![CDATA[",
  "]]>",
  "<?",
  "?>",
  "--",
];

test.each([
  {
    name: "messages of a queue",
    parse: (text: string): unknown =>
      parseMessages(text).map((found) => [
        receiptOf(found),
        deliveriesOf(found),
        base64Encoding.decode(storedTextOf(found)),
      ]),
    seeds: [
      "\ufeff<QueueMessagesList><QueueMessage><MessageId>id</MessageId><InsertionTime>Sun, 22 Nov 2026 10:00:00 GMT</InsertionTime><ExpirationTime>Fri, 31 Dec 9999 23:59:59 GMT</ExpirationTime><PopReceipt>r</PopReceipt><TimeNextVisible>Sun, 22 Nov 2026 10:00:30 GMT</TimeNextVisible><DequeueCount>1</DequeueCount><MessageText>w6k=</MessageText></QueueMessage></QueueMessagesList>",
      "<QueueMessagesList/>",
    ],
    more: ["<QueueMessage>", "</QueueMessage>", "<MessageText>", "/+==", "9999", "-1", "<!DOCTYPE x ["],
  },
  {
    name: "a list of queues",
    parse: (text: string): unknown => parseQueues(text),
    seeds: [
      "<EnumerationResults><Queues><Queue><Name>alpha</Name></Queue><Queue><Name>beta</Name></Queue></Queues><NextMarker>m</NextMarker></EnumerationResults>",
    ],
    more: ["<Queue>", "<Name>", "<NextMarker/>", "<!ENTITY a 'b'>"],
  },
])("$name: only typed errors", ({ name, parse, seeds, more }) => {
  const inputs = mutations({ seed: 7, seeds, tokens: [...tokens, ...more] });
  let accepted = 0;
  for (let i = 0; i < executions; i++) {
    const input = inputs.next().value;
    try {
      parse(input);
      accepted++;
    } catch (error) {
      if (!(error instanceof TableError))
        throw new Error(`${name}: ${String(error)} for ${JSON.stringify(input)}`, { cause: error });
    }
  }
  // A fuzzer that is always refused at once would test nothing.
  expect(accepted).toBeGreaterThan(executions / 200);
  expect(Object.keys(Object.prototype)).toEqual([]);
});
