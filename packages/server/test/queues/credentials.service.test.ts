import {
  AccountSASPermissions,
  AccountSASResourceTypes,
  AccountSASServices,
  generateAccountSASQueryParameters,
  generateQueueSASQueryParameters,
  QueueSASPermissions,
  type QueueSASSignatureValues,
  SASProtocol,
  StorageSharedKeyCredential,
} from "@azure/storage-queue";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { manualClock, type ManualClock } from "@partita/testing";
import { type Served, serveQueues, services } from "../balanced.ts";
import { clientOf, collect, credentialOf, queueAsker, queueOf, refusal, send } from "./queue-client.ts";

// Who may do what, as Microsoft's client signs it.

describe.each(services)("$name", ({ servers }) => {
  let clock: ManualClock;
  let server: Served;
  let inAnHour: Date;
  beforeAll(async () => {
    clock = manualClock();
    server = await serveQueues(servers, { clock });
    inAnHour = new Date(clock.now() + 3_600_000);
    await clientOf(server).createQueue("orders");
    await clientOf(server).createQueue("others");
  });
  afterAll(() => server[Symbol.asyncDispose]());
  beforeEach(async () => {
    await queueOf(server, "orders").clearMessages();
  });

  const noPermission = [403, "AuthorizationPermissionMismatch"];
  const failed = [403, "AuthenticationFailed"];

  describe("the account's key", () => {
    test("of somebody else is refused, as is another account", async () => {
      const key = Buffer.from("another key").toString("base64");
      expect(await refusal(clientOf({ ...server, key }).createQueue("mine"))).toEqual(failed);
      const account = "another";
      const credential = new StorageSharedKeyCredential(account, server.key);
      expect(credential.accountName).toBe(account);
      expect(await refusal(clientOf({ ...server, account }).createQueue("mine"))).toEqual(failed);
    });

    test("signs what it is used for: another method, path, parameter or header is refused", async () => {
      const date = new Date(clock.now()).toUTCString();
      const resource = `/${server.account}/orders`;
      const signed = { "x-ms-date": date, "x-ms-meta-a": "1", "x-ms-version": "2020-10-02" };
      const text = `PUT\n\n\n\nx-ms-date:${date}\nx-ms-meta-a:1\nx-ms-version:2020-10-02\n/${server.account}${resource}?comp=metadata`;
      const authorization = credentialOf(server).computeHMACSHA256(text);
      const headers = { ...signed, authorization: `SharedKeyLite ${server.account}:${authorization}` };
      const ask = async (path: string, method = "PUT", more = {}): Promise<number> =>
        (await send(new URL(`http://127.0.0.1:${server.port}${path}`), method, { ...headers, ...more }))
          .status;

      expect(await ask(`${resource}?comp=metadata`)).toBe(204);
      expect(await ask(`${resource}?comp=metadata`, "GET")).toBe(403);
      expect(await ask(`${resource}?comp=acl`)).toBe(403);
      expect(await ask(`/${server.account}/others?comp=metadata`)).toBe(403);
      expect(await ask(`${resource}?comp=metadata`, "PUT", { "x-ms-meta-a": "2" })).toBe(403);
      expect(await ask(`${resource}?comp=metadata`, "PUT", { "x-ms-meta-b": "1" })).toBe(403);
    });

    test("signs for a quarter of an hour", async () => {
      const ask = queueAsker(server);
      const at = (minutes: number): Record<string, string> => ({
        "x-ms-date": new Date(clock.now() + minutes * 60_000).toUTCString(),
      });

      expect((await ask("/?comp=list", { headers: at(-14) })).status).toBe(200);
      expect((await ask("/?comp=list", { headers: at(-16) })).code).toBe("AuthenticationFailed");
      expect((await ask("/?comp=list", { headers: at(16) })).code).toBe("AuthenticationFailed");
    });
  });

  test.each(["", "?comp=list", "orders/messages", "orders?comp=metadata", "nothing/at/all", "%"])(
    "nobody reads %j without a signature",
    async (path) => {
      const { status, code, text } = await send(new URL(`${server.url}/${path}`), "GET", {});
      expect(status).toBe(403);
      expect(code).toBe("AuthenticationFailed");
      expect(text).toMatch(/^<\?xml .*<Error><Code>AuthenticationFailed<\/Code><Message>/s);
    },
  );

  describe("an account's signature", () => {
    const sasOf = (permissions: string, resourceTypes = "sco", more = {}): string =>
      generateAccountSASQueryParameters(
        {
          expiresOn: inAnHour,
          permissions: AccountSASPermissions.parse(permissions),
          resourceTypes: AccountSASResourceTypes.parse(resourceTypes).toString(),
          services: AccountSASServices.parse("q").toString(),
          protocol: SASProtocol.HttpsAndHttp,
          ...more,
        },
        credentialOf(server),
      ).toString();

    test("allows what its letters say", async () => {
      const queue = queueOf(server, "orders", sasOf("raup"));
      const { messageId, popReceipt } = await queue.sendMessage("one");
      expect((await queue.peekMessages()).peekedMessageItems).toHaveLength(1);
      const updated = await queue.updateMessage(messageId, popReceipt, "two", 0);
      expect((await queue.receiveMessages()).receivedMessageItems).toHaveLength(1);
      expect(await refusal(queue.deleteMessage(messageId, updated.popReceipt as string))).toEqual([
        400,
        "PopReceiptMismatch",
      ]);
      expect(await refusal(queue.clearMessages())).toEqual(noPermission);
      expect(await refusal(queue.delete())).toEqual(noPermission);
      expect(await refusal(collect(clientOf(server, sasOf("raup")).listQueues()))).toEqual(noPermission);
      expect((await collect(clientOf(server, sasOf("l")).listQueues())).length).toBeGreaterThan(1);
      expect(await refusal(queueOf(server, "new", sasOf("d")).create())).toEqual(noPermission);
    });

    test.each([
      ["r", "sendMessage"],
      ["a", "receiveMessages"],
      ["p", "peekMessages"],
      ["rapd", "updateMessage"],
      ["rau", "deleteMessage"],
    ] as const)("of %s does not allow %s", async (letters, operation) => {
      const queue = queueOf(server, "orders", sasOf(letters));
      const id = "some";
      const attempts = {
        sendMessage: () => queue.sendMessage("x"),
        receiveMessages: () => queue.receiveMessages(),
        peekMessages: () => queue.peekMessages(),
        updateMessage: () => queue.updateMessage(id, "cmVjZWlwdA==", "x"),
        deleteMessage: () => queue.deleteMessage(id, "cmVjZWlwdA=="),
      };
      expect(await refusal(attempts[operation]())).toEqual(noPermission);
    });

    test("is for its services, resource types, protocol, addresses and time only", async () => {
      const peek = (sas: string): Promise<unknown> => refusal(queueOf(server, "orders", sas).peekMessages());
      const services = AccountSASServices.parse("b").toString();
      expect(await peek(sasOf("r", "sco", { services }))).toEqual([403, "AuthorizationServiceMismatch"]);
      expect(await peek(sasOf("r", "sc"))).toEqual([403, "AuthorizationResourceTypeMismatch"]);
      expect(await peek(sasOf("r", "sco", { protocol: SASProtocol.Https }))).toEqual([
        403,
        "AuthorizationProtocolMismatch",
      ]);
      expect(await peek(sasOf("r", "sco", { ipRange: { start: "10.0.0.1" } }))).toEqual([
        403,
        "AuthorizationSourceIPMismatch",
      ]);
      expect(
        await peek(sasOf("r", "sco", { startsOn: inAnHour, expiresOn: new Date(inAnHour.getTime() + 1000) })),
      ).toEqual(failed);
      expect(await peek(sasOf("r", "sco", { expiresOn: new Date(clock.now() - 1000) }))).toEqual(failed);
      expect(await peek(`${sasOf("r")}x`)).toEqual(failed);
      expect(await peek(sasOf("r").replace("sp=r", "sp=rp"))).toEqual(failed);
    });

    test("does not reach a queue's policies", async () => {
      const queue = queueOf(server, "orders", sasOf("rwdlacup"));
      expect(await refusal(queue.getAccessPolicy())).toEqual([403, "AuthorizationFailure"]);
      expect(await refusal(queue.setAccessPolicy([]))).toEqual([403, "AuthorizationFailure"]);
    });
  });

  describe("a queue's signature", () => {
    const sasOf = (values: Partial<QueueSASSignatureValues>): string =>
      generateQueueSASQueryParameters(
        { queueName: "orders", protocol: SASProtocol.HttpsAndHttp, ...values },
        credentialOf(server),
      ).toString();
    const letters = (permissions: string, expiresOn = inAnHour): string =>
      sasOf({ permissions: QueueSASPermissions.parse(permissions), expiresOn });

    test("allows what its letters say, in its queue", async () => {
      const queue = queueOf(server, "orders", letters("raup"));
      await queue.sendMessage("one");
      const [received] = (await queue.receiveMessages()).receivedMessageItems;
      const { messageId = "", popReceipt = "" } = received ?? {};
      const updated = await queue.updateMessage(messageId, popReceipt, "two", 10);
      await queue.deleteMessage(messageId, updated.popReceipt as string);
      expect((await queue.getProperties()).approximateMessagesCount).toBe(0);

      for (const attempt of [
        queue.clearMessages(),
        queue.setMetadata({}),
        queue.delete(),
        queue.getAccessPolicy(),
      ])
        expect(await refusal(attempt)).toEqual([403, "AuthorizationFailure"]);
      expect(await refusal(queueOf(server, "others", letters("raup")).peekMessages())).toEqual(failed);
      expect(await refusal(collect(clientOf(server, letters("raup")).listQueues()))).toEqual(failed);
      expect(await refusal(queueOf(server, "orders", letters("a")).receiveMessages())).toEqual(noPermission);
      expect(await refusal(queueOf(server, "orders", letters("r")).sendMessage("x"))).toEqual(noPermission);
    });

    test("ends", async () => {
      const queue = queueOf(server, "orders", letters("r", new Date(clock.now() + 2000)));
      expect((await queue.peekMessages()).peekedMessageItems).toEqual([]);
      clock.advance(2001);
      expect(await refusal(queue.peekMessages())).toEqual(failed);
    });

    test("of a stored policy allows what the policy says now", async () => {
      const owner = queueOf(server, "orders");
      const policy = (permissions: string, expiresOn = inAnHour): ReturnType<typeof owner.setAccessPolicy> =>
        owner.setAccessPolicy([{ id: "workers", accessPolicy: { permissions, expiresOn } }]);
      const queue = queueOf(server, "orders", sasOf({ identifier: "workers" }));
      expect(await refusal(queue.peekMessages())).toEqual(failed);

      await policy("r");
      expect((await queue.peekMessages()).peekedMessageItems).toEqual([]);
      expect(await refusal(queue.sendMessage("x"))).toEqual(noPermission);
      await policy("ra");
      await queue.sendMessage("x");
      const both = sasOf({ identifier: "workers", permissions: QueueSASPermissions.parse("r") });
      expect(await refusal(queueOf(server, "orders", both).peekMessages())).toEqual(failed);
      await policy("ra", new Date(clock.now() - 1000));
      expect(await refusal(queue.peekMessages())).toEqual(failed);
      await owner.setAccessPolicy([]);
      expect(await refusal(queue.peekMessages())).toEqual(failed);
    });
  });
});
