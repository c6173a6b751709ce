import { computed, type ReadonlySignal, signal, type Signal } from "@preact/signals";
import type { Row } from "../../api/cells.ts";
import type { Job } from "../../api/jobs.ts";
import type { Plan, RowQuery } from "../../api/queries.ts";
import type { MultiEditResult, OpenRow, SeenRows, StagedChange } from "../../api/staged.ts";
import type { ClassInfo, StorageInfo, TableInfo } from "../../api/tables.ts";
import type { ApiClient } from "./api-client.ts";
import { RowList } from "./row-list.ts";
import { idOf, RowTree } from "./row-tree.ts";

/** The main view of a table. */
export type View = "rows" | "kinds" | "keys" | "upgrade";

/** The contents of the side panel. */
export type Panel =
  | { readonly type: "row"; readonly row: OpenRow }
  | { readonly type: "new"; readonly from: Row | undefined }
  | { readonly type: "many" }
  | { readonly type: "staged" };

/** A message for the user, read aloud by screen readers. */
export interface Notice {
  readonly text: string;
  readonly isError: boolean;
}

const pageSize = 500;
const unstagedText =
  "This form has changes that are not staged. Stage them, or repeat the action to discard them.";
/** Maximum rows of one request that stages changes. */
const maxRowsAtOnce = 1000;

const seenOf = ({ partitionKey, rowKey, etag }: Row): SeenRows["rows"][number] => ({
  partitionKey,
  rowKey,
  etag,
});

/** The state of the page, and its actions. */
export class StudioState {
  readonly api: ApiClient;
  readonly info: Signal<StorageInfo | undefined> = signal(undefined);
  readonly table: Signal<string | undefined> = signal(undefined);
  readonly className: Signal<string | undefined> = signal(undefined);
  readonly view: Signal<View> = signal("rows");
  readonly text: Signal<string> = signal("");
  readonly plan: Signal<Plan | undefined> = signal(undefined);
  /** The reason why the query cannot be planned or run. */
  readonly problem: Signal<string | undefined> = signal(undefined);
  readonly tree: Signal<RowTree | undefined> = signal(undefined);
  /** Counts changes of the list, to draw the grid again. */
  readonly drawn: Signal<number> = signal(0);
  readonly selected: Signal<ReadonlyMap<string, Row>> = signal(new Map());
  readonly panel: Signal<Panel | undefined> = signal(undefined);
  readonly staged: Signal<readonly StagedChange[]> = signal([]);
  readonly jobs: Signal<readonly Job[]> = signal([]);
  readonly notice: Signal<Notice | undefined> = signal(undefined);
  readonly tableInfo: ReadonlySignal<TableInfo | undefined> = computed(() =>
    this.info.value?.tables.find(({ name }) => name === this.table.value),
  );
  readonly classInfo: ReadonlySignal<ClassInfo | undefined> = computed(() =>
    this.tableInfo.value?.classes.find(({ name }) => name === this.className.value),
  );
  /** Whether a scan was allowed for the current query. */
  readonly isScanAllowed: Signal<boolean> = signal(false);
  #planning: AbortController | undefined;
  #polling: ReturnType<typeof setTimeout> | undefined;
  #isActing = false;
  #isUnstaged = false;

  constructor(api: ApiClient) {
    this.api = api;
  }

  async start(): Promise<void> {
    await this.attempt(async () => {
      const info = await this.api.info();
      this.info.value = info;
      await this.readStaged();
      await this.readJobs();
      const first = info.tables.find(({ isStored }) => isStored);
      // The tables are visible by now, so the user may have opened another one.
      const isOpen = this.table.value !== undefined;
      if (first !== undefined && !isOpen) this.openTable(first.name, first.classes[0]?.name);
    });
  }

  openTable(table: string, className: string | undefined): void {
    const isOther = table !== this.table.value;
    if (isOther && !this.#mayLeave()) return;
    this.table.value = table;
    this.className.value = className;
    this.text.value = "";
    this.isScanAllowed.value = false;
    if (isOther) this.panel.value = undefined;
    const upgrades = this.tableInfo.value?.classes.some((each) => each.hasUpgrades) ?? false;
    const hasClasses = (this.tableInfo.value?.classes.length ?? 0) > 0;
    if ((this.view.value === "upgrade" && !upgrades) || (this.view.value === "kinds" && !hasClasses))
      this.view.value = "rows";
    void this.showPlan();
    this.run();
  }

  setText(text: string): void {
    this.text.value = text;
    this.isScanAllowed.value = false;
    void this.showPlan();
  }

  /** Shows the plan of the query. Nothing is sent to the storage. */
  async showPlan(): Promise<void> {
    this.#planning?.abort();
    const { signal: stop } = (this.#planning = new AbortController());
    try {
      const response = await this.api.plan(this.query(), stop);
      this.plan.value = "plan" in response ? response.plan : undefined;
      this.problem.value = "plan" in response ? undefined : response.problem;
    } catch (error) {
      if (stop.aborted) return;
      this.plan.value = undefined;
      this.problem.value = (error as Error).message;
    }
  }

  /** Runs the query, unless it is a scan without permission. */
  run(): void {
    const query = this.query();
    this.tree.value?.list.close();
    this.selected.value = new Map();
    const list = new RowList(
      {
        page: (after, stop) => this.api.page(query, pageSize, after, stop),
        extent: (after, stop) => this.api.extent(query, pageSize, after, stop),
      },
      () => this.drawn.value++,
    );
    this.tree.value = new RowTree(list);
    void list.readMore();
  }

  query(): RowQuery {
    return {
      table: this.table.value ?? "",
      className: this.className.value,
      text: this.text.value,
      allowScan: this.isScanAllowed.value,
    };
  }

  /** Whether the open form has unstaged changes. */
  get isUnstaged(): boolean {
    return this.#isUnstaged;
  }

  noteUnstaged(isUnstaged: boolean): void {
    this.#isUnstaged = isUnstaged;
  }

  /**
   * Shows another panel, or none. If a form has unstaged changes, the user must repeat the action to discard
   * them.
   */
  show(panel: Panel | undefined): void {
    if (this.#mayLeave()) this.panel.value = panel;
  }

  /** The changes of the form are staged now. */
  showStaged(): void {
    this.#isUnstaged = false;
    this.show({ type: "staged" });
  }

  #mayLeave(): boolean {
    const isAsked = this.notice.value?.text === unstagedText;
    if (this.#isUnstaged && !isAsked) {
      this.fail(unstagedText);
      return false;
    }
    if (isAsked) this.notice.value = undefined;
    this.#isUnstaged = false;
    return true;
  }

  async openRow(row: Row): Promise<void> {
    if (!this.#mayLeave()) return;
    await this.attempt(async () => {
      const open = await this.api.open(this.table.value ?? "", row.className, row);
      this.panel.value = { type: "row", row: open };
    });
  }

  /**
   * Shows a copy of a row as a new row. The row is opened first, because it may have more than its class
   * shows.
   */
  async cloneRow(row: Row): Promise<void> {
    await this.attempt(async () => {
      const isStored = row.className === undefined;
      const open = isStored ? undefined : await this.api.open(this.table.value ?? "", row.className, row);
      this.show({ type: "new", from: { ...row, extras: open?.extras } });
    });
  }

  async toggleChildren(lineIndex: number): Promise<void> {
    const tree = this.tree.value;
    const line = tree?.lineAt(lineIndex);
    if (tree === undefined || line?.row === undefined || !this.hasChildren(line.row)) return;
    const { row } = line;
    if (line.isExpanded) tree.collapse(row);
    else
      await this.attempt(async () => {
        const children = await this.api.children(this.table.value ?? "", row.className ?? "", row);
        tree.expand(lineIndex, children);
        if (children.length === 0) this.say("This row has no children.");
      });
    this.drawn.value++;
  }

  /** Whether the class of a row has children. */
  hasChildren({ className }: Row): boolean {
    const found = this.tableInfo.value?.classes.find(({ name }) => name === className);
    return (found?.children.length ?? 0) > 0;
  }

  select(row: Row): void {
    const selected = new Map(this.selected.value);
    if (!selected.delete(idOf(row))) selected.set(idOf(row), row);
    this.selected.value = selected;
  }

  /**
   * Stages a change of the selected rows, class by class. Rows that changed since they were read are left
   * out.
   */
  async stageSelected(stage: (rows: SeenRows) => Promise<MultiEditResult>): Promise<void> {
    const table = this.table.value ?? "";
    let [staged, changedSince] = [0, 0];
    const selected = [...this.selected.value.values()];
    for (const className of new Set(selected.map((row) => row.className))) {
      const rows = selected.filter((row) => row.className === className).map(seenOf);
      for (let at = 0; at < rows.length; at += maxRowsAtOnce) {
        const result = await stage({ table, className, rows: rows.slice(at, at + maxRowsAtOnce) });
        staged += result.staged;
        changedSince += result.changedSince.length;
      }
    }
    await this.readStaged();
    this.showStaged();
    if (changedSince > 0)
      this.fail(`${changedSince} rows were changed since they were read. Run the query again.`);
    else this.say(`${staged} ${staged === 1 ? "row" : "rows"} staged.`);
  }

  /** Reads the staged changes, including those of other tabs. */
  async readStaged(): Promise<void> {
    this.staged.value = await this.api.staged();
  }

  /**
   * Saves the staged changes that the page shows. Changes that another tab has staged since are shown first.
   */
  async save(): Promise<void> {
    const shown = this.staged.value.map(({ id }) => id);
    await this.attemptOnce(async () => {
      const { saved, staged } = await this.api.save(shown);
      this.staged.value = staged;
      const refused = staged.filter(({ error }) => error !== undefined).length;
      if (refused > 0)
        this.fail(`${saved} saved, ${refused} not saved. The staged changes show the reasons.`);
      else this.say(`${saved} ${saved === 1 ? "change" : "changes"} saved.`);
      this.panel.value = staged.length > 0 ? { type: "staged" } : undefined;
      if (saved > 0) this.run();
    });
  }

  /** The number of rows when a job last read all of a table. Undefined before. */
  rowsOf(table: string): number | undefined {
    const ofTable = this.jobs.value.filter((job) => job.table === table);
    const census = ofTable.find((job) => job.census !== undefined)?.census;
    if (census !== undefined) return census.reduce((sum, { count }) => sum + count, 0);
    return ofTable.find(({ survey }) => survey !== undefined)?.survey?.rows;
  }

  /** Reads the progress of jobs, and polls while one runs. */
  async readJobs(): Promise<void> {
    clearTimeout(this.#polling);
    this.jobs.value = await this.api.jobs();
    if (this.jobs.value.some(({ state }) => state === "running"))
      this.#polling = setTimeout(() => void this.attempt(() => this.readJobs()), 300);
  }

  /** Runs an action and shows its error. Returns whether it succeeded. */
  async attempt(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      this.fail((error as Error).message);
      return false;
    }
  }

  /**
   * The same, but ignores the call while such an action runs, because a double click must not run it twice.
   */
  async attemptOnce(work: () => Promise<void>): Promise<boolean> {
    if (this.#isActing) return false;
    this.#isActing = true;
    const isDone = await this.attempt(work);
    // It may be partly done.
    if (!isDone) await this.readStaged().catch(() => undefined);
    this.#isActing = false;
    return isDone;
  }

  /** Shows a message until the next key or click. */
  say(text: string): void {
    this.notice.value = { text, isError: false };
  }

  /** Shows an error until it is dismissed or replaced. */
  fail(text: string): void {
    this.notice.value = { text, isError: true };
  }
}
