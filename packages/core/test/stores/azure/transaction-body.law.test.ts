import { fc, test as propertyTest } from "@fast-check/vitest";
import { hostileText, legalKey, storedEntity } from "@partita/testing/arbitraries";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { atomFormat } from "../../../src/stores/azure/wire/atom/atom-format.ts";
import { ByteWriter } from "../../../src/values/edm/byte-writer.ts";
import { printTransaction } from "../../../src/stores/azure/wire/transaction-body.ts";
import { jsonFormat, type WireFormat } from "../../../src/stores/azure/wire/wire-format.ts";
import type { Tunnel } from "../../../src/stores/azure/wire/write-request.ts";
import type { StoredEntity, WriteOperation } from "../../../src/storage.ts";

const account = "https://acct.table.core.windows.net/base";
const formats: Readonly<Record<string, WireFormat>> = {
  "JSON, none": jsonFormat("none"),
  "JSON, minimal": jsonFormat("minimal"),
  "JSON, full": jsonFormat("full"),
  Atom: atomFormat(),
};

/** Atom names the time. */
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 0, 1) }));
afterEach(() => void vi.useRealTimers());

const key = fc.oneof(
  legalKey(),
  fc.constantFrom("", "'", "''", "%", "%27", "a b", "ü€😀", "__proto__", "\u2028", "~-_.!*()'", "+&=;,:@$"),
);
const etag = fc.oneof(
  fc.constantFrom("*", 'W/"1"', "W/\"datetime'2026-01-01T00%3A00%3A00.1234567Z'\"", 'W/"é\u00ff"', ""),
  fc.stringMatching(/^[\x20-\x7e\xa0-\xff]{0,40}$/),
);
const entity = fc
  .tuple(key, key, storedEntity())
  .map(([PartitionKey, RowKey, rest]): StoredEntity => ({ ...rest, PartitionKey, RowKey }));
const operation: fc.Arbitrary<WriteOperation> = fc.oneof(
  fc.record({ type: fc.constantFrom("insert", "upsert-merge", "upsert-replace"), entity }),
  fc.record({ type: fc.constantFrom("merge", "replace"), entity, etag }),
  fc.record({
    type: fc.constant("delete" as const),
    key: fc.record({ partitionKey: key, rowKey: key }),
    etag,
  }),
);
/** Mostly in one partition, as transactions are. */
const operations = fc
  .tuple(fc.array(operation, { minLength: 1, maxLength: 8 }), key, fc.boolean())
  .map(([list, partitionKey, isOne]) => (isOne ? list.map((one) => inPartition(one, partitionKey)) : list));

function inPartition(one: WriteOperation, partitionKey: string): WriteOperation {
  return one.type === "delete"
    ? { ...one, key: { ...one.key, partitionKey } }
    : { ...one, entity: { ...one.entity, PartitionKey: partitionKey } };
}

propertyTest.prop(
  [
    operations,
    fc.constantFrom(...Object.keys(formats)),
    fc.constantFrom<Tunnel>("none", "merge", "all"),
    fc.constantFrom("Things", "T2x"),
  ],
  { numRuns: 3000 },
)("a transaction has the bytes of its parts, written one by one", (list, name, tunnel, table) => {
  const format = formats[name] as WireFormat;

  const { contentType, body } = printTransaction({ account, format, tunnel }, table, list);

  const id = /^multipart\/mixed; boundary=batch_([0-9a-f]{32})$/.exec(contentType)?.[1] ?? "";
  expect(Buffer.from(body).toString()).toBe(expectedText(id, table, list, format, tunnel));
  expect(Buffer.from(expectedText(id, table, list, format, tunnel)).equals(body)).toBe(true);
});

/** The same by plain texts. */
function expectedText(
  id: string,
  table: string,
  list: readonly WriteOperation[],
  format: WireFormat,
  tunnel: Tunnel,
): string {
  const parts = list.map(
    (one) =>
      `--changeset_${id}\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n` +
      expectedPart(table, one, format, tunnel),
  );
  return (
    `--batch_${id}\r\nContent-Type: multipart/mixed; boundary=changeset_${id}\r\n\r\n` +
    `${parts.join("")}--changeset_${id}--\r\n--batch_${id}--\r\n`
  );
}

const methods = {
  insert: "POST",
  replace: "PUT",
  "upsert-replace": "PUT",
  merge: "MERGE",
  "upsert-merge": "MERGE",
  delete: "DELETE",
} as const;

function expectedPart(table: string, one: WriteOperation, format: WireFormat, tunnel: Tunnel): string {
  const method = methods[one.type];
  const isTunnelled = method !== "POST" && (tunnel === "all" || (tunnel === "merge" && method === "MERGE"));
  const sent = isTunnelled ? "POST" : method === "MERGE" ? "PATCH" : method;
  const url = `${account}/${table}${one.type === "insert" ? "" : keyInUrl(one)}`;
  const lines = [
    `${sent} ${url} HTTP/1.1`,
    `Accept: ${format.accept}`,
    `DataServiceVersion: ${format.dataServiceVersion};`,
  ];
  if (isTunnelled) lines.push(`X-HTTP-Method: ${method}`);
  if ("etag" in one) lines.push(`If-Match: ${one.etag}`);
  if (one.type === "delete") return [...lines, "", "", ""].join("\r\n");
  lines.push(`Content-Type: ${format.contentType}`);
  if (one.type === "insert") lines.push("Prefer: return-no-content");
  return [...lines, "", format.printEntity(one.entity, one.type === "insert" ? "" : url), ""].join("\r\n");
}

function keyInUrl(one: WriteOperation): string {
  const [partitionKey, rowKey] =
    one.type === "delete"
      ? [one.key.partitionKey, one.key.rowKey]
      : [one.entity.PartitionKey, one.entity.RowKey];
  const encode = (text: string): string => encodeURIComponent(text.split("'").join("''"));
  return `(PartitionKey='${encode(partitionKey)}',RowKey='${encode(rowKey)}')`;
}

const insert = (text: string): WriteOperation => ({
  type: "insert",
  entity: { PartitionKey: "p", RowKey: "r", text },
});

test("the bytes of a transaction stay as they are while others are written", () => {
  const target = { account, format: jsonFormat("minimal"), tunnel: "none" } as const;
  const first = printTransaction(target, "Things", [insert("first")]).body;
  const copy = Buffer.from(first);

  // Short, and longer than the memory that is kept.
  for (const length of [1, 100, 100_000, 2_000_000, 1])
    printTransaction(target, "Things", [insert("x".repeat(length))]);

  expect(copy.equals(first)).toBe(true);
  expect(copy.includes('"first"')).toBe(true);
});

test("an operation that cannot be written leaves nothing in the next transaction", () => {
  const target = { account, format: jsonFormat("minimal"), tunnel: "none" } as const;
  const broken: WriteOperation = {
    type: "delete",
    key: { partitionKey: "p", rowKey: "r" },
    etag: "a\r\nb",
  };

  expect(() => printTransaction(target, "Things", [insert("first"), broken])).toThrow(
    /If-Match is not an ETag/,
  );

  const text = Buffer.from(printTransaction(target, "Things", [insert("second")]).body).toString();
  expect(text).not.toContain("first");
  expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
});

propertyTest.prop([fc.array(hostileText(50), { minLength: 1 }), fc.array(hostileText(50))])(
  "writers do not share memory, even when one works inside of the other",
  (outer, inner) => {
    let inside: Uint8Array = Buffer.alloc(0);
    const outside = ByteWriter.write((writer) => {
      for (const text of outer) {
        writer.utf8(text);
        inside = ByteWriter.write((other) => {
          for (const piece of inner) other.bytes(Buffer.from(piece));
        });
      }
    });

    expect(outside.equals(Buffer.from(outer.join("")))).toBe(true);
    if (outer.length > 0) expect(Buffer.from(inside).toString()).toBe(inner.join(""));
  },
);
