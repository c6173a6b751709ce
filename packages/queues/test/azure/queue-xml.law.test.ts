import { fc, test as propertyTest } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { base64Encoding, type MessageEncoding, textEncoding } from "../../src/azure/message-encoding.ts";
import {
  deliveriesOf,
  parseMessages,
  parseQueues,
  printMessage,
  receiptOf,
  storedTextOf,
} from "../../src/azure/queue-xml.ts";

/** What the service would answer of a message whose body this is. */
const responseOf = (...bodies: readonly string[]): string => {
  const messages = bodies.map((body, index) => {
    const text = /<MessageText>[\s\S]*<\/MessageText>/.exec(body)?.[0] ?? "";
    return `<QueueMessage><MessageId>id-${index}</MessageId><InsertionTime>Sun, 22 Nov 2026 10:00:00 GMT</InsertionTime><ExpirationTime>Fri, 31 Dec 9999 23:59:59 GMT</ExpirationTime><PopReceipt>receipt-${index}</PopReceipt><TimeNextVisible>Sun, 22 Nov 2026 10:00:30 GMT</TimeNextVisible><DequeueCount>${index}</DequeueCount>${text}</QueueMessage>`;
  });
  return `\ufeff<?xml version="1.0" encoding="utf-8"?><QueueMessagesList>${messages.join("")}</QueueMessagesList>`;
};

const received = (encoding: MessageEncoding, texts: readonly string[]): unknown[] =>
  parseMessages(responseOf(...texts.map((text) => printMessage(encoding.encode("orders", text))))).map(
    (found) => encoding.decode(storedTextOf(found)),
  );

const anyText = fc.string({ unit: "binary", maxLength: 400 });
/** Characters that documents are made of, and those on the edges of what XML has forms for. */
const markup = fc.string({
  unit: fc.constantFrom(
    ...Array.from("<>&\"'] \t\r\n\u0085\u2028\u007f\ue000\ufffdé€😀;x0"),
    "&#x7;",
    "]]>",
    "\ue0000\ue000",
  ),
  maxLength: 400,
});
const longer = fc.tuple(markup, fc.integer({ min: 1, max: 40 })).map(([text, times]) => text.repeat(times));

propertyTest.prop([fc.array(fc.oneof(anyText, markup, longer), { maxLength: 4 })])(
  "a batch of texts is received as it was put, in base64",
  (texts) => {
    expect(received(base64Encoding, texts)).toEqual(texts.map((text) => ({ text })));
  },
);

propertyTest.prop([fc.array(fc.oneof(markup, longer), { maxLength: 4 })])(
  "a batch of texts is received as it was put, as text",
  (texts) => {
    expect(received(textEncoding, texts)).toEqual(texts.map((text) => ({ text })));
  },
);

const anyBytes = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString("base64"));

propertyTest.prop([fc.oneof(anyText, anyBytes)])(
  "whatever is stored, a message is received: decoded whole, or as it is stored and marked",
  (stored) => {
    const { text, isMalformed = false } = base64Encoding.decode(stored);

    if (isMalformed) expect(text).toBe(stored);
    else expect(Buffer.from(text)).toEqual(Buffer.from(stored, "base64"));
  },
);

test("a message has its times, its receipt and its deliveries; one that stays has no end", () => {
  const [, second] = parseMessages(responseOf("", ""));

  expect(second).toMatchObject({ id: "id-1", insertedAt: new Date("2026-11-22T10:00:00Z") });
  expect(second).not.toHaveProperty("expiresAt");
  expect(second && receiptOf(second)).toEqual({
    receipt: "receipt-1",
    visibleAt: new Date("2026-11-22T10:00:30Z"),
  });
  expect(second && deliveriesOf(second)).toBe(1);
});

test.each([
  ["<Other/>", /root/],
  ["<QueueMessagesList><QueueMessage/></QueueMessagesList>", /ExpirationTime is missing/],
  [responseOf("").replace("id-0", ""), /MessageId/],
  [responseOf("").replace("Sun, 22 Nov 2026 10:00:00 GMT", "soon"), /InsertionTime/],
  ["<QueueMessagesList><QueueMessage>", /not well formed/],
])("an answer that is none is refused: %#", (document, message) => {
  const parse = (): unknown => parseMessages(document);

  expect(parse).toThrow(expect.objectContaining({ code: "storage.malformed-response" }));
  expect(parse).toThrow(message);
});

test("a page of names has its marker, where there is one", () => {
  const page = (end: string): string =>
    `<?xml version="1.0"?><EnumerationResults ServiceEndpoint="https://x/"><Queues><Queue><Name>alpha</Name></Queue><Queue><Name>beta</Name><Metadata/></Queue></Queues>${end}</EnumerationResults>`;

  expect(parseQueues(page("<NextMarker>/acct/gamma</NextMarker>"))).toEqual({
    names: ["alpha", "beta"],
    next: "/acct/gamma",
  });
  for (const end of ["<NextMarker/>", "<NextMarker></NextMarker>", ""])
    expect(parseQueues(page(end)).next).toBeUndefined();
  expect(() => parseQueues("<EnumerationResults/>")).toThrow(/no list of queues/);
});
