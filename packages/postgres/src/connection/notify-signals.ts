import type { StorageSignals } from "@partita/core/storage";
import type { Client } from "./create-pool.ts";
import type { Statements } from "./statements.ts";

/** Hints of this time are sent together. NOTIFY takes a lock of the whole database, so it is not part of any write. */
const collectMs = 5;
/** Maximum characters of names in one NOTIFY, which takes less than 8000 bytes. */
const maxPayload = 2000;
/** The wait before a lost connection is opened again, in milliseconds. */
const reconnectMs = 1000;
/** How long `close` waits for the last hints, in milliseconds. */
const patienceMs = 1000;

/** Hints by LISTEN and NOTIFY. */
export class NotifySignals implements StorageSignals {
  readonly #statements: Statements;
  readonly #channel: string;
  readonly #listeners = new Map<string, Set<() => void>>();
  /** Names that are not sent yet. */
  readonly #collected = new Set<string>();
  #sending: Promise<void> | undefined;
  #client: Client | undefined;
  #reconnect: NodeJS.Timeout | undefined;
  #isClosed = false;
  readonly #cancel = new AbortController();

  /** @param channel - the name for LISTEN, of letters, digits and underscores */
  constructor(statements: Statements, channel: string) {
    this.#statements = statements;
    this.#channel = channel;
  }

  announce(name: string): void {
    if (this.#isClosed) return;
    this.#collected.add(name);
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
  }

  async #sendAll(): Promise<void> {
    while (this.#collected.size > 0) {
      await new Promise((resolve) => setTimeout(resolve, collectMs));
      const payloads = payloadsOf([...this.#collected]);
      this.#collected.clear();
      for (const payload of payloads) await this.#send(payload);
    }
  }

  async #send(payload: string): Promise<void> {
    const text = "select pg_notify($1, $2)";
    const values = [this.#channel, payload];
    try {
      await this.#statements.run({ text, values, isPrepared: true, writes: true }, this.#cancel);
    } catch {
      // Only a hint is lost: workers also poll.
    }
  }

  listen(name: string, wake: () => void): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(wake));
    if (this.#client === undefined && this.#reconnect === undefined) void this.#connect();
    return () => {
      listeners.delete(wake);
      if (listeners.size === 0 && this.#listeners.get(name) === listeners) this.#listeners.delete(name);
      if (this.#listeners.size === 0) this.#disconnect();
    };
  }

  async #connect(): Promise<void> {
    if (this.#isClosed) return;
    const client = this.#statements.newClient();
    this.#client = client;
    const lost = (): void => this.#lost(client);
    client.on("error", lost);
    client.on("end", lost);
    client.on("notification", ({ payload = "" }) => {
      for (const name of payload.split("\n")) this.#wake(this.#listeners.get(name));
    });
    try {
      await client.connect();
      await client.query(`listen ${this.#channel}`);
      // Hints may have been missed until now.
      for (const listeners of this.#listeners.values()) this.#wake(listeners);
    } catch {
      lost();
    }
  }

  #wake(listeners: ReadonlySet<() => void> = new Set()): void {
    for (const wake of listeners) wake();
  }

  #lost(client: Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    client.destroy();
    if (this.#isClosed || this.#listeners.size === 0) return;
    this.#reconnect = setTimeout(() => {
      this.#reconnect = undefined;
      if (this.#listeners.size > 0) void this.#connect();
    }, reconnectMs);
    this.#reconnect.unref();
  }

  #disconnect(): void {
    clearTimeout(this.#reconnect);
    this.#reconnect = undefined;
    this.#client?.destroy();
    this.#client = undefined;
  }

  /** Sends collected hints, and stops listening. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#listeners.clear();
    this.#disconnect();
    const timer = setTimeout(() => this.#cancel.abort(), patienceMs);
    await this.#sending;
    clearTimeout(timer);
  }
}

/** Names in as few texts as possible, each name on a line. */
function payloadsOf(names: readonly string[]): string[] {
  const payloads: string[] = [];
  for (const name of names) {
    const last = payloads.at(-1);
    if (last !== undefined && last.length + name.length < maxPayload)
      payloads[payloads.length - 1] = `${last}\n${name}`;
    else payloads.push(name);
  }
  return payloads;
}
