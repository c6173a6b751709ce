import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { isAccountKey } from "@partita/core/protocol";
import { emulatorAccount } from "@partita/core/rest";
import type { TableServerOptions, TlsCertificate } from "@partita/server";
import { UsageError } from "../session/usage-error.ts";

/** What a command line asks for. */
export interface ServeSettings {
  /** For `openStorage`. */
  readonly target: string;
  readonly server: TableServerOptions & { readonly host: string; readonly key: string };
  /** Where queues are served; undefined to leave them out. */
  readonly queuePort: number | undefined;
  /** Whether the key is the emulator's, which may be printed: who gave another one knows it, and logs are kept. */
  readonly isKeyPublic: boolean;
}

/** The emulator's ports, which clients know. */
const emulatorPort = Number(new URL(emulatorAccount.endpoint).port);
const emulatorQueuePort = 10_001;

/** Options as they were given. */
export interface ServeOptions {
  readonly storage?: string;
  readonly host?: string;
  readonly port?: number;
  readonly queuePort?: number;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly throttle?: number;
  readonly account?: string;
  readonly key?: string;
  readonly allowHttp?: boolean;
  /** False for `--no-queues`. */
  readonly queues?: boolean;
}

/** What options mean together. @throws UsageError */
export async function readServeOptions(options: ServeOptions): Promise<ServeSettings> {
  const { storage: target = "memory:", host = "127.0.0.1", port = emulatorPort, throttle, key } = options;
  const { account = emulatorAccount.accountName, allowHttp = false } = options;
  if (key !== undefined && !isAccountKey(key))
    throw new UsageError("--key takes an account key in base64: the whole key, with any = at its end.");
  const tls = await readCertificate(options.tlsCert, options.tlsKey);
  if (!isLoopback(host)) checkPublic(host, tls !== undefined || allowHttp, key !== undefined);
  return {
    target,
    server: {
      host,
      port,
      account,
      key: key ?? emulatorAccount.accountKey,
      allowHttp,
      ...(tls !== undefined && { tls }),
      ...(throttle !== undefined && { throttle }),
    },
    queuePort: queuePortOf(options, port),
    isKeyPublic: key === undefined,
  };
}

/** Next to tables at a port of their own, queues take a free one. @throws UsageError */
function queuePortOf({ queues = true, queuePort }: ServeOptions, port: number): number | undefined {
  if (queues) return queuePort ?? (port === emulatorPort ? emulatorQueuePort : 0);
  if (queuePort === undefined) return undefined;
  throw new UsageError("--queue-port and --no-queues contradict each other: leave one of them out.");
}

/** Whether only this machine reaches a server there. */
const isLoopback = (host: string): boolean =>
  host.toLowerCase() === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));

/** @throws UsageError for a host of other machines without what protects it */
function checkPublic(host: string, isAllowed: boolean, hasKey: boolean): void {
  const reached = `--host ${host} can be reached by other machines, and`;
  if (!isAllowed)
    throw new UsageError(
      `${reached} http shows them all that is sent. Add --tls-cert and --tls-key, listen on 127.0.0.1, or add --allow-http where the network is yours alone.`,
    );
  if (!hasKey)
    throw new UsageError(
      `${reached} everybody knows the emulator's key. Give the account its own with --key.`,
    );
}

/** @throws UsageError for one of the two files without the other, or one that cannot be read */
async function readCertificate(
  certFile: string | undefined,
  keyFile: string | undefined,
): Promise<TlsCertificate | undefined> {
  if (certFile === undefined && keyFile === undefined) return undefined;
  if (certFile === undefined || keyFile === undefined)
    throw new UsageError(
      "--tls-cert and --tls-key go together: the certificate and its private key, in PEM.",
    );
  return { cert: await readPem("--tls-cert", certFile), key: await readPem("--tls-key", keyFile) };
}

async function readPem(option: string, file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new UsageError(`${option} cannot be read (${code}): ${file}`, { cause });
  }
}
