import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { createInterface } from "node:readline";
import { QueueServiceClient } from "@azure/storage-queue";
import { openStorage } from "@partita/core";
import { tableQueues } from "@partita/queues";
import { type TemporaryFolder, temporaryFolder } from "@partita/test-support/temporary-folder";
import { roundRobin } from "@partita/test-support/round-robin";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { certificate } from "@partita/test-support/certificate";
import { main } from "../published.ts";

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => folder[Symbol.asyncDispose]());

const children = new Set<ChildProcess>();
afterEach(() => {
  for (const child of children) child.kill("SIGKILL");
  children.clear();
});

function start(...args: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [main, "serve", ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.add(child);
  return child;
}

/** What a command prints up to the line that says it is ready, and what that line says. */
async function untilReady(
  child: ChildProcess,
): Promise<{ readonly lines: readonly string[]; readonly ready: ReadonlyMap<string, string> }> {
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    lines.push(line);
    if (!line.startsWith("Ready ")) continue;
    const pairs = line.split(" ").slice(1);
    return {
      lines,
      ready: new Map(pairs.map((pair) => pair.split(/=(.*)/s).slice(0, 2) as [string, string])),
    };
  }
  throw new Error(`It ended before it was ready: ${lines.join(" / ")}`);
}

async function end(child: ChildProcess): Promise<unknown> {
  child.kill("SIGTERM");
  return once(child, "exit");
}

describe("partita serve", () => {
  test("serves a file to the clients of a connection string, and ends when it is told to", async () => {
    const file = folder.file("tables.db");
    const child = start("--storage", `file:${file}`, "--port", "0");
    const { lines, ready } = await untilReady(child);
    const port = ready.get("port");
    expect([...ready]).toEqual([
      ["host", "127.0.0.1"],
      ["port", port],
      ["url", `http://127.0.0.1:${port}/devstoreaccount1`],
    ]);
    const connectionString = lines.map((line) => /^Connection string: (.*)$/.exec(line)?.[1]).find(Boolean);
    await using storage = await openStorage(connectionString as string);
    await storage.createTable("Served");
    await storage.write("Served", { type: "insert", entity: { PartitionKey: "p", RowKey: "r", A: 1 } });
    expect(await end(child)).toEqual([0, null]);

    await using opened = await openStorage(`file:${file}`);
    expect(await opened.get("Served", { partitionKey: "p", rowKey: "r" })).toMatchObject({ A: 1 });
  });

  test("serves queues beside tables, for Microsoft's client and what Functions do with poison", async () => {
    const file = folder.file("queues.db");
    const child = start("--storage", `file:${file}`, "--port", "0");
    const { lines } = await untilReady(child);
    const connectionString = lines.map((line) => /^Connection string: (.*)$/.exec(line)?.[1]).find(Boolean);
    expect(connectionString).toMatch(
      /;TableEndpoint=http:\/\/127\.0\.0\.1:\d+\/devstoreaccount1;QueueEndpoint=http:\/\/127\.0\.0\.1:\d+\/devstoreaccount1;$/,
    );
    expect(lines).toContainEqual(
      expect.stringMatching(/^Queues at http:\/\/127\.0\.0\.1:\d+\/devstoreaccount1$/),
    );
    const service = QueueServiceClient.fromConnectionString(connectionString as string);
    const orders = service.getQueueClient("azure-webjobs-orders");
    await orders.createIfNotExists();
    await orders.sendMessage(Buffer.from("poison").toString("base64"));

    // As the host of Functions does it: a renewal without a text, a copy into a queue that is made when it is missing.
    const [message] = (await orders.receiveMessages({ numberOfMessages: 16, visibilityTimeout: 600 }))
      .receivedMessageItems;
    const { messageId = "", messageText = "", popReceipt = "" } = message ?? {};
    const renewed = await orders.updateMessage(messageId, popReceipt, undefined, 600);
    const poison = service.getQueueClient("azure-webjobs-orders-poison");
    await expect(poison.sendMessage(messageText)).rejects.toMatchObject({
      statusCode: 404,
      code: "QueueNotFound",
    });
    await poison.createIfNotExists();
    await poison.sendMessage(messageText);
    await orders.deleteMessage(messageId, renewed.popReceipt as string);
    expect(await end(child)).toEqual([0, null]);

    await using storage = await openStorage(`file:${file}`);
    await using queues = tableQueues(storage);
    expect(await queues.peek("azure-webjobs-orders-poison")).toMatchObject([
      { text: Buffer.from("poison").toString("base64") },
    ]);
    expect(await queues.approximateCount("azure-webjobs-orders")).toBe(0);
  });

  test("drains on SIGTERM: no request fails while one of two processes with one file ends", async () => {
    const storage = `file:${folder.file("shared.db")}`;
    const args = ["--storage", storage, "--port", "0", "--no-queues", "--drain-ms", "1000"];
    const leaving = start(...args);
    const { lines, ready } = await untilReady(leaving);
    const ports = [ready, (await untilReady(start(...args))).ready].map((one) => Number(one.get("port")));
    // As a load balancer looks at its servers.
    let available: readonly number[] = ports;
    let isOver = false;
    const look = async (): Promise<void> => {
      const found = ports.map(async (port) => {
        const response = await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined);
        await response?.text();
        return response?.status === 200 ? [port] : [];
      });
      available = (await Promise.all(found)).flat();
      if (!isOver) setTimeout(() => void look(), 20);
    };
    void look();
    const { port, requests } = await roundRobin(() => available, onTestFinished);
    const connectionString = /^Connection string: (.*)$/m.exec(lines.join("\n"))?.[1] ?? "";
    await using client = await openStorage(connectionString.replace(/:\d+\//, `:${port}/`));
    await client.createTable("Served");
    let written = 0;
    const work = Promise.allSettled(
      Array.from({ length: 16 }, async (_, partition) => {
        for (let n = 0; !isOver; n++) {
          const key = { partitionKey: String(partition), rowKey: String(n) };
          const entity = { PartitionKey: key.partitionKey, RowKey: key.rowKey };
          await client.write("Served", { type: "insert", entity });
          expect(await client.get("Served", key)).toBeDefined();
          written++;
        }
      }),
    );
    const until = (isReached: () => boolean): Promise<void> => expect.poll(isReached).toBe(true);

    await until(() => ports.every((one) => (requests.get(one) ?? 0) > 50));
    expect(await end(leaving)).toEqual([0, null]);
    const before = written;
    await until(() => written > before + 50);
    isOver = true;

    expect((await work).filter(({ status }) => status === "rejected")).toEqual([]);
    expect(available).toEqual(ports.slice(1));
  });

  test.each(["SIGTERM", "SIGINT"] as const)("ends a drain at once on a second %s", async (signal) => {
    const child = start("--port", "0", "--drain-ms", "600000");
    const { ready } = await untilReady(child);
    const health = async (): Promise<number> =>
      (await fetch(`http://127.0.0.1:${ready.get("port")}/health`)).status;
    expect(await health()).toBe(200);
    child.kill(signal);
    await expect.poll(health).toBe(503);
    child.kill(signal);
    expect(await once(child, "exit")).toEqual([0, null]);
  });

  test("leaves queues out, and says what to do when their port is taken", async () => {
    const { lines, ready } = await untilReady(start("--port", "0", "--no-queues"));
    expect(lines.join("\n")).not.toMatch(/Queue/);
    const child = start("--port", "0", "--queue-port", ready.get("port") as string);
    let reported = "";
    child.stderr?.on("data", (chunk: Buffer) => (reported += chunk.toString()));
    const [exitCode] = (await once(child, "close")) as [number];
    expect(reported).toMatch(/^The port \d+ for queues is taken\. .*--queue-port.*--no-queues/);
    expect(exitCode).toBe(1);
  });

  test("serves other machines over https, with a key of its own that it does not print", async () => {
    const [cert, key] = [folder.file("cert.pem"), folder.file("key.pem")];
    await writeFile(cert, certificate.cert);
    await writeFile(key, certificate.key);
    const tls = ["--tls-cert", cert, "--tls-key", key];
    const child = start("--host", "0.0.0.0", "--port", "0", ...tls, "--key", "a2V5a2V5");
    const { lines, ready } = await untilReady(child);

    expect(lines.join("\n")).not.toContain("a2V5a2V5");
    expect(ready.get("host")).toBe("0.0.0.0");
    expect(ready.get("url")).toMatch(/^https:\/\/localhost:\d+\/devstoreaccount1$/);
    const asked = request(ready.get("url") as string, { ca: certificate.cert }).end();
    const [response] = (await once(asked, "response")) as [IncomingMessage];
    response.resume();
    expect(response.statusCode).toBe(403);
  });

  test.each([
    [["--prot", "1"], 2, /Did you mean --port\?/],
    [["--port", "many"], 2, /--port takes a number/],
    [["--host", "0.0.0.0"], 2, /can be reached by other machines/],
    [["--drain-ms", "600001"], 2, /--drain-ms takes a number from 0 to 600000/],
    [["--storage", "nonsense"], 2, /There is no storage nonsense/],
    [["--host", "192.0.2.1", "--allow-http", "--key", "a2V5"], 1, /not an address of this machine/],
  ])("refuses %j with a sentence", async (args, code, message) => {
    const child = start("--port", "0", ...args);
    let reported = "";
    child.stderr?.on("data", (chunk: Buffer) => (reported += chunk.toString()));
    const [exitCode] = (await once(child, "close")) as [number];
    expect(reported).toMatch(message);
    expect(reported).not.toMatch(/\n\s+at /);
    expect(exitCode).toBe(code);
  });
});
