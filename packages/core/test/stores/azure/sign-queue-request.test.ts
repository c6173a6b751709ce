import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import {
  queueRequestSigner,
  queueSharedKeyText,
  type SignedQueueParts,
} from "../../../src/stores/azure/credentials/sign-queue-request.ts";

const date = "Sun, 22 Nov 2026 10:00:00 GMT";
const parts: SignedQueueParts = {
  method: "PUT",
  path: "/devstoreaccount1/orders/messages/id-1",
  query: [
    ["visibilitytimeout", "30"],
    ["popreceipt", "a+/b=="],
  ],
  headers: {
    "content-type": "application/xml",
    "x-ms-version": "2019-02-02",
    "x-ms-date": date,
    "x-ms-client-request-id": " id ",
    accept: "application/xml",
  },
  contentLength: 17,
};

test("the signed text has the standard headers, the service's, the resource and every parameter, in order", () => {
  expect(queueSharedKeyText("devstoreaccount1", parts)).toBe(
    [
      "PUT",
      "",
      "",
      "17",
      "",
      "application/xml",
      "",
      "",
      "",
      "",
      "",
      "",
      "x-ms-client-request-id:id",
      `x-ms-date:${date}`,
      "x-ms-version:2019-02-02",
      "/devstoreaccount1/devstoreaccount1/orders/messages/id-1",
      "popreceipt:a+/b==",
      "visibilitytimeout:30",
    ].join("\n"),
  );
});

test("without a body the length is empty; conditions, Date and parameters that are there twice are signed", () => {
  const headers = { date, "if-match": "*", range: "bytes=0-1", "content-md5": "md5" };
  const query = [
    ["Comp", "list"],
    ["include", "metadata"],
    ["include", "a"],
  ] as const;

  expect(queueSharedKeyText("acct", { method: "GET", path: "", query, headers, contentLength: 0 })).toBe(
    ["GET", "", "", "", "md5", "", date, "", "*", "", "", "bytes=0-1"].join("\n") +
      "\n/acct/\ncomp:list\ninclude:a,metadata",
  );
});

test("a request is signed as it is sent: decoded parameters, and the body's bytes", () => {
  const key = Buffer.alloc(64, 7);
  const text = queueSharedKeyText("devstoreaccount1", { ...parts, contentLength: 3 });

  const header = queueRequestSigner(
    "devstoreaccount1",
    key,
  )({
    method: parts.method,
    path: parts.path,
    contentType: "application/xml",
    date,
    headers: parts.headers as Record<string, string>,
    query: "visibilitytimeout=30&popreceipt=a%2B%2Fb%3D%3D",
    body: "€",
  });

  expect(header).toBe(
    `SharedKey devstoreaccount1:${createHmac("sha256", key).update(text).digest("base64")}`,
  );
});
