import type { ReadonlySignal, Signal } from "@preact/signals";
import type { StagedChange } from "../../api/staged.ts";
import type { StorageInfo, TableInfo } from "../../api/tables.ts";
import type { ApiClient } from "./api-client.ts";
import type { RowTree } from "./row-tree.ts";

/** The parts of the page's state that the grid uses. */
export interface GridHost {
  readonly api: ApiClient;
  readonly info: Signal<StorageInfo | undefined>;
  readonly table: Signal<string | undefined>;
  readonly className: Signal<string | undefined>;
  readonly tableInfo: ReadonlySignal<TableInfo | undefined>;
  readonly tree: Signal<RowTree | undefined>;
  readonly drawn: Signal<number>;
  readonly topLine: Signal<number>;
  readonly staged: Signal<readonly StagedChange[]>;
  readonly show: (panel: { readonly type: "staged" }) => void;
  readonly attempt: (work: () => Promise<void>) => Promise<boolean>;
  readonly say: (text: string) => void;
  readonly fail: (text: string) => void;
}
