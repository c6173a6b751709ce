import type { TableStorage } from "@partita/core";
import type { Clock } from "@partita/core/storage";
import type { FilesOptions } from "../files-options.ts";
import { type ZonePolicy, Zones } from "../paths/zones.ts";
import { rowsOf } from "../rows/rows.ts";
import { destroyFiles } from "./destroy.ts";
import { checkDestroy, type DestroyOptions } from "./destroy-options.ts";
import { checkWritable, type FileStore } from "./file-store.ts";
import { checkLayout, type GivenLayout, type Layout, makeLayout, readLayout } from "./layout.ts";

/** Storage and options of a file system. */
export interface StoreSource {
  readonly storage: TableStorage;
  readonly options: FilesOptions;
  readonly clock: Clock;
}

export const defaultBlockSize = 262_144;
const defaultSmallBytes = 65_536;

/** Reads the layout of a file system before its first use, or stores it. */
export class StoreOpener {
  readonly #source: StoreSource;
  readonly #given: GivenLayout;
  #store: FileStore | undefined;

  constructor(source: StoreSource) {
    this.#source = source;
    const { zones, buckets } = source.options;
    this.#given = { zones: zones && Object.keys(zones), buckets, history: zones && historyOf(zones) };
  }

  /** Undefined if no file was ever created. @throws FileError `file.layout` */
  async forReading(signal: AbortSignal | undefined): Promise<FileStore | undefined> {
    if (this.#store !== undefined) return this.#store;
    const layout = await readLayout(this.#tables, signal);
    return layout && this.#open(layout);
  }

  /** Of a file system that may not exist. @throws FileError `file.layout`, `file.read-only` */
  async forChanging(signal: AbortSignal | undefined): Promise<FileStore | undefined> {
    checkWritable({ isReadOnly: this.#source.options.readOnly === true });
    return this.forReading(signal);
  }

  /** @throws FileError `file.layout`, `file.read-only` */
  async forWriting(signal: AbortSignal | undefined): Promise<FileStore> {
    return (
      (await this.forChanging(signal)) ?? this.#open(await makeLayout(this.#tables, this.#given, signal))
    );
  }

  /** @throws OptionError `file.option`; FileError `file.read-only` */
  async destroy(options: DestroyOptions): Promise<void> {
    checkDestroy(this.#tables.name)(options);
    checkWritable({ isReadOnly: this.#source.options.readOnly === true });
    await destroyFiles(this.#tables, options.signal);
    this.#store = undefined;
  }

  get #tables(): Pick<FileStore, "name" | "storage" | "clock" | "retry"> {
    const { storage, clock, options } = this.#source;
    return { name: options.name ?? "Partita", storage, clock, retry: options.retry };
  }

  #open(layout: Layout): FileStore {
    checkLayout(this.#given, layout);
    const { blockSize = defaultBlockSize, smallFileBytes = defaultSmallBytes } = this.#source.options;
    const zones = new Zones(layout.zones);
    this.#store = {
      ...this.#tables,
      rows: rowsOf(this.#tables.name, zones, layout.buckets),
      zones,
      buckets: layout.buckets,
      policies: this.#source.options.zones,
      blockSize,
      smallFileBytes,
      history: new Set(layout.history),
      isReadOnly: this.#source.options.readOnly === true,
    };
    return this.#store;
  }
}

/** The zones that keep replaced blocks and metadata. */
const historyOf = (zones: Readonly<Record<string, ZonePolicy>>): readonly string[] =>
  Object.keys(zones)
    .filter((zone) => (zones[zone]?.keepReplacedMs ?? 0) > 0)
    .toSorted();
