import { ServiceFault } from "../wire/service-fault.ts";
import { PageMap } from "./page-map.ts";

/** Size of a page, in bytes. */
export const pageBytes = 512;

/**
 * Size of the largest page blob, in bytes. Source: learn.microsoft.com "Scalability and performance targets for Blob
 * storage".
 */
const maxBlobBytes = 8 * 1024 ** 4;

/** A page blob, or a snapshot of one: the ranges of its written pages, without their content. */
export interface StoredBlob {
  readonly pages: PageMap;
  readonly size: number;
  readonly etag: string;
  /** Milliseconds since 1970. */
  readonly modifiedAt: number;
}

/** A blob with its snapshots, by their times. */
interface BlobHistory {
  current: StoredBlob;
  readonly snapshots: Map<string, StoredBlob>;
}

/** The containers of an account and their page blobs, in memory. */
export class BlobStore {
  readonly #containers = new Map<string, Map<string, BlobHistory>>();
  readonly #now: () => number;
  #changes = 0;

  /** @param now - returns milliseconds since 1970 */
  constructor(now: () => number) {
    this.#now = now;
  }

  hasContainer(container: string): boolean {
    return this.#containers.has(container);
  }

  createContainer(container: string): void {
    if (this.hasContainer(container)) throw new ServiceFault("ContainerAlreadyExists");
    this.#containers.set(container, new Map());
  }

  deleteContainer(container: string): void {
    if (!this.#containers.delete(container)) throw new ServiceFault("ContainerNotFound");
  }

  /** @throws ServiceFault `ContainerNotFound` */
  requireContainer(container: string): void {
    this.#blobsOf(container);
  }

  /** @throws ServiceFault `ContainerNotFound` */
  find(container: string, blob: string): StoredBlob | undefined {
    return this.#blobsOf(container).get(blob)?.current;
  }

  /** @throws ServiceFault `ContainerNotFound`, `BlobNotFound` */
  get(container: string, blob: string, snapshot?: string): StoredBlob {
    const history = this.#historyOf(container, blob);
    const found = snapshot === undefined ? history.current : history.snapshots.get(snapshot);
    if (found === undefined) throw new ServiceFault("BlobNotFound");
    return found;
  }

  /** Creates an empty blob, and replaces an existing one. */
  create(container: string, blob: string, size: number): StoredBlob {
    const current = this.#changed(new PageMap(), size);
    this.#blobsOf(container).set(blob, { current, snapshots: new Map() });
    return current;
  }

  /** Changes the pages of a blob. */
  write(container: string, blob: string, change: (pages: PageMap) => void): StoredBlob {
    const history = this.#historyOf(container, blob);
    const { pages, size } = history.current;
    change(pages);
    return (history.current = this.#changed(pages, size));
  }

  /** Changes the size of a blob; pages after the new end are removed. */
  resize(container: string, blob: string, size: number): StoredBlob {
    const history = this.#historyOf(container, blob);
    const { pages } = history.current;
    pages.clear({ start: size, end: maxBlobBytes });
    return (history.current = this.#changed(pages, size));
  }

  /** Creates a snapshot of a blob, and returns its time, which identifies it. */
  snapshot(container: string, blob: string): string {
    const { current, snapshots } = this.#historyOf(container, blob);
    const digits = String(++this.#changes % 10_000).padStart(4, "0");
    const time = new Date(this.#now()).toISOString().replace("Z", `${digits}Z`);
    snapshots.set(time, { ...current, pages: current.pages.copy() });
    return time;
  }

  delete(container: string, blob: string): void {
    if (!this.#blobsOf(container).delete(blob)) throw new ServiceFault("BlobNotFound");
  }

  #changed(pages: PageMap, size: number): StoredBlob {
    const etag = `"0x${(++this.#changes).toString(16).toUpperCase().padStart(15, "0")}"`;
    return { pages, size, etag, modifiedAt: this.#now() };
  }

  #blobsOf(container: string): Map<string, BlobHistory> {
    const blobs = this.#containers.get(container);
    if (blobs === undefined) throw new ServiceFault("ContainerNotFound");
    return blobs;
  }

  #historyOf(container: string, blob: string): BlobHistory {
    const history = this.#blobsOf(container).get(blob);
    if (history === undefined) throw new ServiceFault("BlobNotFound");
    return history;
  }
}

/** Whether a number of bytes is a whole number of pages, within the largest size. */
export const isPages = (bytes: number): boolean =>
  Number.isInteger(bytes) && bytes >= 0 && bytes % pageBytes === 0 && bytes <= maxBlobBytes;
