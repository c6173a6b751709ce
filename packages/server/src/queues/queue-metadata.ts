import type { TableStorage } from "@partita/core";
import { escapeXml, readXml } from "@partita/core/protocol";
import { foreignSettings, readSettings, removeSetting, writeSetting } from "../settings/settings-table.ts";
import { checkMetadata, type Metadata } from "./metadata-headers.ts";

const type = "queue-metadata";
const none: Metadata = new Map();

/** The metadata of an account's queues. It is read once, and stored on every change. */
export class QueueMetadata {
  readonly #storage: TableStorage;
  readonly #byQueue = new Map<string, Metadata>();

  private constructor(storage: TableStorage) {
    this.#storage = storage;
  }

  /** Reads the stored metadata. @throws StorageError `storage.foreign-settings` */
  static async read(storage: TableStorage): Promise<QueueMetadata> {
    const all = new QueueMetadata(storage);
    const stored = (await readSettings(storage)).filter((setting) => setting.type === type);
    if (stored.length === 0) return all;
    try {
      for (const { name, document } of stored)
        all.#byQueue.set(
          name,
          checkMetadata(readXml(document)[1].children.map(([key, { text }]) => [key, text])),
        );
    } catch {
      throw foreignSettings(storage);
    }
    return all;
  }

  of(queue: string): Metadata {
    return this.#byQueue.get(queue) ?? none;
  }

  /** Replaces a queue's metadata. */
  async set(queue: string, metadata: Metadata): Promise<void> {
    if (metadata.size > 0)
      await writeSetting(this.#storage, { type, name: queue, document: metadataXml(metadata) });
    else if (this.#byQueue.has(queue)) await removeSetting(this.#storage, { type, name: queue });
    this.#byQueue.set(queue, metadata);
    if (metadata.size === 0) this.#byQueue.delete(queue);
  }
}

/** The XML element of metadata in a list of queues. */
export const metadataXml = (metadata: Metadata): string =>
  `<Metadata>${[...metadata].map(([name, value]) => `<${name}>${escapeXml(value)}</${name}>`).join("")}</Metadata>`;
