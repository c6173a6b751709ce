import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { isAccountKey } from "@partita/core/protocol";
import { emulatorAccount } from "@partita/core/rest";
import type { TableServerOptions, TlsCertificate } from "@partita/server";

/** What a command line asks for. */
export interface ServeOptions {
  /** For `openStorage`. */
  readonly target: string;
  readonly server: TableServerOptions & { readonly host: string; readonly key: string };
  /** Where queues are served; undefined to leave them out. */
  readonly queuePort: number | undefined;
  /** Whether the key is the emulator's, which may be printed: who gave another one knows it, and logs are kept. */
  readonly isKeyPublic: boolean;
}

/** The emulator's port of queues, which clients know as they know that of tables. */
const emulatorQueuePort = 10_001;

/** Options as they were given. */
export interface ServeTexts extends Readonly<
  Partial<
    Record<
      "storage" | "host" | "port" | "queuePort" | "tlsCert" | "tlsKey" | "throttle" | "account" | "key",
      string
    >
  >
> {
  readonly allowHttp?: boolean;
  /** False for `--no-queues`. */
  readonly queues?: boolean;
}

/** Reads what was given. @throws TypeError for options that are not legal */
export async function readServeOptions(values: ServeTexts): Promise<ServeOptions> {
  const { storage: target = "memory:", host = "127.0.0.1", port = emulatorPort, throttle, key } = values;
  const { account = emulatorAccount.accountName, allowHttp = false } = values;
  const tablePort = readPort("--port", port);
  const queuePort = readQueuePort(values.queuePort, values.queues === false, port);
  if (throttle !== undefined && !/^[1-9]\d{0,8}$/.test(throttle))
    throw new TypeError(
      "--throttle takes a whole number, 1 or more: entities of each partition in a second.",
    );
  if (key !== undefined && !isAccountKey(key))
    throw new TypeError("--key takes an account key in base64: the whole key, with any = at its end.");
  const tls = await readCertificate(values.tlsCert, values.tlsKey);
  if (!isLoopback(host)) checkPublic(host, tls !== undefined || allowHttp, key !== undefined);
  return {
    target,
    server: {
      host,
      port: tablePort,
      account,
      key: key ?? emulatorAccount.accountKey,
      allowHttp,
      ...(tls !== undefined && { tls }),
      ...(throttle !== undefined && { throttle: Number(throttle) }),
    },
    queuePort,
    isKeyPublic: key === undefined,
  };
}

const emulatorPort = new URL(emulatorAccount.endpoint).port;

/** @throws TypeError */
function readPort(option: string, text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new TypeError(`${option} takes a number from 0 to 65535.`);
  return Number(text);
}

/** Beside tables at a port of their own, queues take a free one. @throws TypeError */
function readQueuePort(given: string | undefined, isLeftOut: boolean, port: string): number | undefined {
  if (isLeftOut && given !== undefined)
    throw new TypeError("--queue-port and --no-queues contradict each other: leave one of them out.");
  if (isLeftOut) return undefined;
  if (given !== undefined) return readPort("--queue-port", given);
  return port === emulatorPort ? emulatorQueuePort : 0;
}

/** Whether only this machine reaches a server there. */
const isLoopback = (host: string): boolean =>
  host.toLowerCase() === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));

/** @throws TypeError for a host of other machines without what protects it */
function checkPublic(host: string, isAllowed: boolean, hasKey: boolean): void {
  if (!isAllowed)
    throw new TypeError(
      `--host ${host} can be reached by other machines, and http shows them all that is sent. Add --tls-cert and --tls-key, listen on 127.0.0.1, or add --allow-http where the network is yours alone.`,
    );
  if (!hasKey)
    throw new TypeError(
      `--host ${host} can be reached by other machines, and everybody knows the emulator's key. Give the account its own with --key.`,
    );
}

/** @throws TypeError for one of the two files without the other, or one that cannot be read */
async function readCertificate(
  certFile: string | undefined,
  keyFile: string | undefined,
): Promise<TlsCertificate | undefined> {
  if (certFile === undefined && keyFile === undefined) return undefined;
  if (certFile === undefined || keyFile === undefined)
    throw new TypeError("--tls-cert and --tls-key go together: the certificate and its private key, in PEM.");
  return { cert: await readPem("--tls-cert", certFile), key: await readPem("--tls-key", keyFile) };
}

async function readPem(option: string, file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new TypeError(`${option} cannot be read (${code}): ${file}`, { cause });
  }
}
