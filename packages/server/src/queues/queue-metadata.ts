import type { TableStorage } from "@partita/core";
import { escapeXml, readXml } from "@partita/core/protocol";
import {
  parseDocument,
  readSetting,
  readSettings,
  removeSetting,
  replaceSetting,
  type StoredSetting,
  writeSetting,
} from "../settings/settings-table.ts";
import { checkMetadata, type Metadata } from "./metadata-headers.ts";

const type = "queue-metadata";
const none: Metadata = new Map();

/** The metadata of an account's queues, read from the storage when a request needs it. */
export class QueueMetadata {
  readonly #storage: TableStorage;

  constructor(storage: TableStorage) {
    this.#storage = storage;
  }

  async of(queue: string): Promise<Metadata> {
    return metadataIn(await this.read(queue));
  }

  /** The stored metadata; undefined if the queue has none. */
  read(queue: string): Promise<StoredSetting | undefined> {
    return readSetting(this.#storage, { type, name: queue });
  }

  /** The metadata of all queues that have some. */
  async ofAll(): Promise<ReadonlyMap<string, Metadata>> {
    const stored = await readSettings(this.#storage, type);
    return new Map(stored.map((setting) => [setting.name, metadataIn(setting)]));
  }

  /** Replaces a queue's metadata. */
  async set(queue: string, metadata: Metadata): Promise<void> {
    const key = { type, name: queue } as const;
    if (metadata.size > 0) await writeSetting(this.#storage, key, metadataXml(metadata));
    else await removeSetting(this.#storage, key);
  }

  /**
   * Stores the metadata of a queue that is about to be created.
   *
   * @param former - the metadata that was read before the check that the queue does not exist
   * @returns the claim; undefined if another server creates the queue
   */
  claim(
    queue: string,
    metadata: Metadata,
    former: StoredSetting | undefined,
  ): Promise<StoredSetting | undefined> {
    return replaceSetting(this.#storage, { type, name: queue }, metadataXml(metadata), former);
  }

  /**
   * Changes the claim's ETag once the queue exists, so a server that has not found the queue can no longer claim it.
   *
   * @returns whether the queue was created with this claim, and not with one of another server
   */
  async confirm(claim: StoredSetting): Promise<boolean> {
    if (metadataIn(claim).size === 0) return removeSetting(this.#storage, claim);
    return (await replaceSetting(this.#storage, claim, claim.document, claim)) !== undefined;
  }

  /** Removes the metadata of a queue that was deleted, unless another server has changed it since it was read. */
  async remove(former: StoredSetting | undefined): Promise<void> {
    if (former !== undefined) await removeSetting(this.#storage, former);
  }
}

const metadataIn = (stored: StoredSetting | undefined): Metadata =>
  stored === undefined
    ? none
    : parseDocument(stored, (document) =>
        checkMetadata(readXml(document)[1].children.map(([key, { text }]) => [key, text])),
      );

/** The XML element of metadata in a list of queues. */
export const metadataXml = (metadata: Metadata): string =>
  `<Metadata>${[...metadata].map(([name, value]) => `<${name}>${escapeXml(value)}</${name}>`).join("")}</Metadata>`;
