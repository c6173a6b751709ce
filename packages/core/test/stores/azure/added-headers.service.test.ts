import type { IncomingHttpHeaders } from "node:http";
import { expect, test } from "vitest";
import type { AddHeaders } from "../../../src/rest.ts";
import type { TableStorage } from "../../../src/index.ts";
import { answering, insert, write } from "./answering-service.ts";

const seen: IncomingHttpHeaders[] = [];
async function withHeaders(headers: AddHeaders): Promise<TableStorage> {
  seen.length = 0;
  return answering(
    (request, response) => {
      seen.push(request.headers);
      response.statusCode = request.method === "GET" ? 200 : 204;
      response.end(request.method === "GET" ? '{"value":[]}' : undefined);
    },
    { headers },
  );
}

test("each request has the headers that the program adds, and Partita's own", async () => {
  const asked: string[] = [];
  const storage = await withHeaders(({ method, path }) => {
    asked.push(`${method} ${path}`);
    return { "X-Correlation-Id": `order-${asked.length}`, traceparent: "00-1-2-01" };
  });

  await storage.write("Things", insert("a b"));
  await storage.query("Things", {});

  expect(asked).toEqual(["POST /Things", "GET /Things()"]);
  expect(seen.map((headers) => headers["x-correlation-id"])).toEqual(["order-1", "order-2"]);
  for (const headers of seen)
    expect(headers).toMatchObject({
      traceparent: "00-1-2-01",
      authorization: expect.stringMatching(/^SharedKeyLite acct:/) as string,
      "x-ms-version": "2019-02-02",
    });
});

test("the id of a request can be replaced", async () => {
  const storage = await withHeaders(() => ({ "x-ms-client-request-id": "mine" }));

  await storage.query("Things", {});

  expect(seen[0]?.["x-ms-client-request-id"]).toBe("mine");
});

test.each([
  ["authorization", "secret"],
  ["X-MS-Date", "secret"],
  ["x-ms-anything", "secret"],
  ["Content-Length", "secret"],
  ["accept", "secret"],
  ["if-match", "secret"],
  ["a header", "secret"],
  ["x-lines", "secret\r\nx-other: 1"],
  ["x-number", 7 as unknown as string],
  ["x-smile", "secret \u{1f600}"],
])("the header %s is refused, without its value, and nothing is sent", async (name, value) => {
  const storage = await withHeaders(() => ({ [name]: value }));

  const error = await write(storage);

  expect(error).toMatchObject({ code: "storage.header", applied: "no" });
  expect(error.message).toContain(JSON.stringify(name));
  expect(error.message).not.toContain("secret");
  expect(seen).toEqual([]);
});
