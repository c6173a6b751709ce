import { writeFile } from "node:fs/promises";
import { emulatorAccount } from "@partita/core/rest";
import { type TemporaryFolder, temporaryFolder } from "@partita/test-support/temporary-folder";
import { afterAll, beforeAll, expect, test } from "vitest";
import { serve } from "../../src/commands/serve.ts";
import { readServeOptions, type ServeOptions, type ServeSettings } from "../../src/serve/serve-options.ts";
import { UsageError } from "../../src/session/usage-error.ts";
import { given } from "../given.ts";

async function read(line: readonly string[]): Promise<ServeSettings> {
  return readServeOptions(given<ServeOptions>(serve, line).options);
}

let folder: TemporaryFolder;
let pem: string;
beforeAll(async () => {
  folder = await temporaryFolder();
  pem = folder.file("some.pem");
  await writeFile(pem, "in PEM");
});
afterAll(() => folder[Symbol.asyncDispose]());

test("without options it is the emulator's account on this machine only", async () => {
  expect(await read([])).toEqual({
    target: "memory:",
    server: {
      host: "127.0.0.1",
      port: 10_002,
      account: emulatorAccount.accountName,
      key: emulatorAccount.accountKey,
      allowHttp: false,
    },
    drainMs: 0,
    queuePort: 10_001,
    isKeyPublic: true,
  });
});

test("a host of other machines takes a key of its own, and a certificate or leave for http", async () => {
  const common = ["--host", "0.0.0.0", "--key", "a2V5"];

  expect(await read([...common, "--allow-http"])).toMatchObject({
    server: { host: "0.0.0.0", key: "a2V5", allowHttp: true },
    isKeyPublic: false,
  });
  const tls = ["--tls-cert", pem, "--tls-key", pem];
  expect(await read([...common, ...tls])).toMatchObject({
    server: { tls: { cert: Buffer.from("in PEM"), key: Buffer.from("in PEM") }, allowHttp: false },
  });
});

test.each([
  [[], 10_001],
  [["--port", "10002"], 10_001],
  [["--port", "20002"], 0],
  [["--port", "0", "--queue-port", "20001"], 20_001],
  [["--queue-port", "0"], 0],
  [["--no-queues"], undefined],
])("with %j queues are served at %s", async (args, queuePort) => {
  expect((await read(args)).queuePort).toBe(queuePort);
});

test("a limit of each partition is entities in a second", async () => {
  expect(await read(["--throttle", "500"])).toMatchObject({ server: { throttle: 500 } });
});

test.each([
  [["--key", "bar"], /--key takes an account key in base64/],
  [["--key", ""], /--key takes an account key in base64/],
  [["--throttle", "0"], /--throttle takes a whole number/],
  [["--throttle", "fast"], /--throttle takes a whole number/],
  [["--port", "70000"], /--port takes/],
  [["--port", "-1"], /./],
  [["--queue-port", "70000"], /--queue-port takes/],
  [["--queue-port", "10001", "--no-queues"], /contradict each other/],
  [["--host", "0.0.0.0", "--key", "a2V5"], /Add --tls-cert and --tls-key.*127\.0\.0\.1.*--allow-http/],
  [["--host", "::", "--key", "a2V5"], /--host :: can be reached by other machines/],
  [["--host", "0.0.0.0", "--allow-http"], /emulator's key.*--key/],
  [["--tls-cert", "cert.pem"], /need each other/],
  [["--tls-key", "key.pem"], /need each other/],
  [["--tls-cert", "no.pem", "--tls-key", "no.pem"], /--tls-cert cannot be read \(ENOENT\): no\.pem/],
])("refuses %j with a sentence", async (args, message) => {
  await expect(read(args)).rejects.toThrow(message);
});

test("an option it does not know is an error of the command line", async () => {
  await expect(read(["--prot", "1"])).rejects.toThrow(UsageError);
});
