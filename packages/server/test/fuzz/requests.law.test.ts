import { expect, test } from "vitest";
import { mutations } from "@partita/test-support/mutations";
import { boundaryOf, KnownHead, outerPartOf, partOf, partsOf } from "../../src/wire/multipart.ts";
import { parseQuery, parseResource } from "../../src/wire/parse-path.ts";
import { readJsonBody } from "../../src/wire/read-entity.ts";
import { parsePosition, printPosition } from "../../src/wire/continuation.ts";
import { faultOf, ServiceFault } from "../../src/wire/service-fault.ts";

const executions = process.env["PARTITA_LONG"] === "1" ? 100_000 : 10_000;

/** What the server reads of its clients. */
const readers: Readonly<
  Record<
    string,
    {
      readonly read: (text: string) => unknown;
      readonly seeds: readonly string[];
      readonly tokens: readonly string[];
    }
  >
> = {
  "a path": {
    read: (text) => parseResource(text),
    seeds: ["/Things(PartitionKey='p''1',RowKey='r%201')", "/Tables('Things')", "/$batch", "/Things()"],
    tokens: ["'", "''", "%", "%27", "%00", "(", ")", ",", "RowKey=", "/", "..", "%2f", "PartitionKey='"],
  },
  "a query": {
    read: (text) => parseQuery(text),
    seeds: ["$filter=A%20eq%201&$top=5&sig=a+b%3D", "restype=service&comp=properties"],
    tokens: ["&", "=", "%", "%zz", "+", "$filter", "sig=", "%ff"],
  },
  "an entity": {
    read: (text) => readJsonBody(text),
    seeds: ['{"PartitionKey":"p","RowKey":"r","D":7.0,"L@odata.type":"Edm.Int64","L":"5","B":true}'],
    tokens: [
      '"',
      "\\",
      "{",
      "}",
      "[",
      ":",
      ",",
      "null",
      "1e400",
      "-0",
      "__proto__",
      "@odata.type",
      '"Edm.Guid"',
      "\\ud800",
    ],
  },
  "a batch": {
    read: (text) =>
      partsOf(Buffer.from(text), "b").map((part) => {
        const { headers, bytes } = outerPartOf(part);
        return [
          boundaryOf(headers.get("content-type") ?? "multipart/mixed; boundary=c"),
          partOf(bytes.toString(), new KnownHead()),
        ];
      }),
    seeds: [
      "--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\nContent-Type: application/http\r\n\r\nPOST /a HTTP/1.1\r\n\r\n{}\r\n--c--\r\n--b--\r\n",
    ],
    tokens: ["--b", "--b--", "\r\n", "\n", ":", "boundary=", "Content-Type: ", "multipart/mixed", "\u0000"],
  },
  "a continuation": {
    read: (text) => parsePosition(text),
    seeds: [printPosition({ token: "5:p1r1", isSecond: true }), printPosition({ isSecond: false })],
    tokens: ["!", "1", "=", "W10", "bnVsbA", "-"],
  },
};

test.each(Object.entries(readers))(
  "%s of a request: refused as the service does, or read",
  (name, { read, seeds, tokens }) => {
    const inputs = mutations({ seed: 11, seeds, tokens });
    let slowest = 0;
    let accepted = 0;
    for (let i = 0; i < executions; i++) {
      const input = inputs.next().value;
      const from = performance.now();
      try {
        read(input);
        accepted++;
      } catch (error) {
        if (!(error instanceof ServiceFault) || faultOf(error).status >= 500)
          throw new Error(`${name}: ${String(error)} for ${JSON.stringify(input)}`, { cause: error });
      }
      slowest = Math.max(slowest, performance.now() - from);
    }
    // A fuzzer that is always refused at once would test nothing.
    expect(accepted).toBeGreaterThan(executions / 200);
    if (executions === 100_000)
      console.log(`${name}: ${executions} executions, slowest ${slowest.toFixed(1)} ms`);
  },
);
