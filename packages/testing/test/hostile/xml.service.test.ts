/* oxlint-disable vitest/no-conditional-expect -- of two right ends, each has its own checks */
import { openStorage, type TableStorage } from "@partita/core";
import { parseEntry, readXml } from "@partita/core/protocol";
import { accountSas, openTableService } from "@partita/account";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { startTableServer, type TableServer } from "@partita/server";
import {
  accountKey,
  answering,
  expectTyped,
  orTypedError,
  processState,
  serve,
  typedError,
} from "./fake-service.ts";

const atomRoot =
  '<entry xmlns="http://www.w3.org/2005/Atom" xmlns:d="http://schemas.microsoft.com/ado/2007/08/dataservices" xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata">';
const keys = "<d:PartitionKey>p</d:PartitionKey><d:RowKey>r</d:RowKey>";
const entry = (inside: string, before = ""): string =>
  `${before}${atomRoot}<content type="application/xml"><m:properties>${keys}${inside}</m:properties></content></entry>`;

const laughs = Array.from({ length: 10 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join("");
const nested = (depth: number, inside: string): string =>
  `${"<a>".repeat(depth)}${inside}${"</a>".repeat(depth)}`;

/** Each as what a property holds, and what stands before the document. */
const bodies: readonly (readonly [name: string, inside: string, before: string])[] = [
  ["a billion laughs", "<d:v>&l10;</d:v>", `<!DOCTYPE e [<!ENTITY l0 "lol">${laughs}]>`],
  [
    "a flat entity 900 times",
    `<d:v>${"&f;".repeat(900)}</d:v>`,
    `<!DOCTYPE e [<!ENTITY f "${"f".repeat(9000)}">]>`,
  ],
  ["a file of this machine", "<d:v>&x;</d:v>", '<!DOCTYPE e [<!ENTITY x SYSTEM "file:///etc/passwd">]>'],
  ["characters by number, a million", `<d:v>${"&#65;".repeat(1_000_000)}</d:v>`, ""],
  [
    "names of prototypes",
    "<__proto__><polluted>1</polluted></__proto__><d:constructor><prototype><polluted>1</polluted></prototype></d:constructor>",
    "",
  ],
  ["50,000 elements in each other", nested(50_000, "x"), ""],
  ["an external parameter", "<d:v>x</d:v>", '<!DOCTYPE e SYSTEM "http://127.0.0.1:9/evil.dtd">'],
  // Beside those seven.
  ["an entity in another case", "<d:v>x</d:v>", "<!doctype e [<!entity x 'y'>]>"],
  ["an entity that nobody declares", "<d:v>&evil;</d:v>", ""],
  ["a number beyond Unicode", "<d:v>&#x110000;</d:v>", ""],
  ["a half of a character by number", '<d:v m:type="Edm.Binary">&#xD800;</d:v>', ""],
  ["a tag that is not closed", "<d:v>", ""],
  ["tags that cross", "<d:v><d:w></d:v></d:w>", ""],
  ["a property twice", "<d:v>1</d:v><d:v>2</d:v>", ""],
  ["a property of another prefix twice", "<d:v>1</d:v><x:v>2</x:v>", ""],
  ["elements in a value", "<d:v>1<b>2</b></d:v>", ""],
  ["a type that is none", '<d:v m:type="Edm.Evil">1</d:v>', ""],
  ["a type of the prototype", '<d:v m:type="__proto__">1</d:v>', ""],
  ["a value of another type", '<d:v m:type="Edm.Int32">1 or 1</d:v>', ""],
  ["prototype names as attributes", '<d:v __proto__="1" constructor="2" m:type="Edm.Guid">1</d:v>', ""],
  ["another root before", "<d:v>x</d:v>", "<root/>"],
  ["a comment that does not end", "<d:v>x</d:v><!-- ", ""],
  ["a section that does not end", "<d:v><![CDATA[x</d:v>", ""],
  ["a processing instruction that does not end", "<d:v>x</d:v><?evil ", ""],
  [
    "20,000 attributes",
    `<d:v ${Array.from({ length: 20_000 }, (_, i) => `a${i}="1"`).join(" ")} m:type="Edm.Guid">x</d:v>`,
    "",
  ],
];

/** Those that are well formed after all: what they must then be read as. */
const harmless: Readonly<Record<string, string>> = {
  "characters by number, a million": "A".repeat(1_000_000),
};

let server: TableServer;
let stored: TableStorage;
beforeAll(async () => {
  server = await startTableServer();
  stored = await openStorage(server.connectionString);
});
afterAll(async () => {
  await stored.close();
  await server.close();
});

describe.each(bodies)("%s", (name, inside, before) => {
  const document = entry(inside, before);

  test("ends the reading of an entity", async () => {
    const state = processState();
    const found = await orTypedError(async () => parseEntry(document));

    expect(found).toEqual(
      name in harmless ? { PartitionKey: "p", RowKey: "r", v: harmless[name] } : undefined,
    );
    expect(processState()).toEqual(state);
  });

  test("ends a query in Atom", async () => {
    const feed = `${before}<feed xmlns="http://www.w3.org/2005/Atom">${entry(inside)}</feed>`;
    const storage = await answering(
      (request, response) =>
        response.writeHead(200).end(request.url?.includes("RowKey=") === true ? document : feed),
      { format: "atom" },
    );

    for (const work of [
      async () => (await storage.query("Things", {})).entities[0],
      async () => storage.get("Things", { partitionKey: "p", rowKey: "r" }),
    ]) {
      const found = await work().catch((error: unknown) => {
        expectTyped(error);
        // A long answer to a single read is cut off before it is read.
        expect(["storage.malformed-response", "storage.response-too-large"]).toContain(
          (error as { code: string }).code,
        );
      });
      if (found !== undefined) expect(found["v"]).toBe(harmless[name]);
    }
  });

  test("as an error's answer only says that something failed", async () => {
    const storage = await answering((_request, response) =>
      response
        .writeHead(400)
        .end(`${before}<error><code>${inside}</code><message>${inside}</message></error>`),
    );

    const error = await storage.query("Things", {}).catch((reason: unknown) => reason);

    expectTyped(error);
    expect(String(error)).not.toContain("root:");
  });

  test("ends the reading of service properties", async () => {
    const port = await serve((_request, response) =>
      response
        .writeHead(200)
        .end(
          `${before}<StorageServiceProperties><Logging><Version>${inside}</Version></Logging></StorageServiceProperties>`,
        ),
    );
    const service = await openTableService(
      `AccountName=acct;AccountKey=${accountKey};TableEndpoint=http://127.0.0.1:${port}/acct`,
    );
    onTestFinished(() => service.close());

    await expect(service.getProperties()).rejects.toSatisfy((error: unknown) => (expectTyped(error), true));
    await expect(service.getAccessPolicies("Things")).rejects.toSatisfy(
      (error: unknown) => (expectTyped(error), true),
    );
  });

  test("sent to the server is refused, and nothing is stored", async () => {
    const table = `Things${bodies.findIndex(([one]) => one === name)}`;
    await stored.createTable(table);
    const sas = accountSas(
      { accountName: server.account, accountKey: server.key },
      { permissions: "rwdlacu", expiresAt: new Date(Date.now() + 60_000), protocol: "https,http" },
    );
    const send = (path: string, method: string, body: string): Promise<Response> =>
      fetch(`${server.url}${path}${sas}`, {
        method,
        body,
        headers: {
          "content-type": "application/atom+xml",
          accept: "application/atom+xml",
          "x-ms-version": "2015-07-08",
        },
      });

    const insert = await send(`/${table}?`, "POST", document);
    const settings = await send("/?restype=service&comp=properties&", "PUT", document);

    expect([400, 413]).toContain(insert.status);
    expect([400, 413]).toContain(settings.status);
    expect(await insert.text()).not.toContain("root:");
    expect((await stored.query(table, {})).entities).toEqual([]);
  });
});

test("a document of one megabyte of open brackets is refused at once", async () => {
  for (const document of [
    "<".repeat(1_000_000),
    "<a ".repeat(300_000),
    "&".repeat(1_000_000),
    `<a b="${"'".repeat(1_000_000)}`,
  ])
    expect(await orTypedError(async () => readXml(document))).toBeUndefined();
});

test("a feed that is cut off anywhere is refused, and never a shorter page", async () => {
  const feed = `<feed xmlns="http://www.w3.org/2005/Atom">${entry("<d:v>1</d:v>")}${entry("<d:v>2</d:v>")}</feed>`;
  let length = 0;
  const storage = await answering(
    (_request, response) => response.writeHead(200).end(feed.slice(0, length)),
    { format: "atom" },
  );
  expect(feed.length).toBeGreaterThan(700);

  for (length = 0; length < feed.length; length += 3)
    expect(await typedError(() => storage.query("Things", {}))).toMatchObject({
      code: "storage.malformed-response",
    });
  length = feed.length;
  expect((await storage.query("Things", {})).entities).toHaveLength(2);
});
