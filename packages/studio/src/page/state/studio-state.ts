import { batch, computed, effect, type ReadonlySignal, signal, type Signal } from "@preact/signals";
import type { Row } from "../../api/cells.ts";
import type { Job } from "../../api/jobs.ts";
import type { Plan, RowQuery } from "../../api/queries.ts";
import type { MultiEditResult, SeenRows, StagedChange } from "../../api/staged.ts";
import type { ClassInfo, StorageInfo, TableInfo } from "../../api/tables.ts";
import type { DraftField } from "../form/draft.ts";
import { type Address, addressOf, isSameQuery, type QueryAddress } from "./address.ts";
import type { ApiClient } from "./api-client.ts";
import { GridClipboard } from "./clipboard.ts";
import { keepPanel, keptPanel } from "./form-drafts.ts";
import { GridView } from "./grid-view.ts";
import { keepRefused, keptRefused } from "./kept-texts.ts";
import type { EntryState } from "./last-entry.ts";
import { firstPlace, keepHistory } from "./page-history.ts";
import { RowList } from "./row-list.ts";
import { idOf } from "./row-keys.ts";
import { RowTree } from "./row-tree.ts";
import { isViewOf, type Notice, type Panel, type View } from "./shown-parts.ts";

/** Rows that a query shows first. */
const firstRows = 100;
const pageSize = 500;
const unstagedText =
  "This form has changes that are not staged. Stage them, or repeat the action to discard them.";
const tooLargeText = (what: string): string =>
  `${what} too large for the browser's storage, so a reload would lose it.`;
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
  /** The query of the rows. Its text may differ from the one being written. */
  readonly ran: Signal<Pick<RowQuery, "text" | "allowScan">> = signal({ text: "" });
  /** The first visible line of the grid. */
  readonly topLine: Signal<number> = signal(0);
  readonly plan: Signal<Plan | undefined> = signal(undefined);
  /** The reason why the query cannot be planned or run. */
  readonly problem: Signal<string | undefined> = signal(undefined);
  readonly tree: Signal<RowTree | undefined> = signal(undefined);
  /** Counts changes of the list, to draw the grid again. */
  readonly drawn: Signal<number> = signal(0);
  readonly grid: GridView = new GridView(this);
  readonly clipboard: GridClipboard = new GridClipboard(this, this.grid);
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
  /** The query of the rows. */
  #rowsOf: QueryAddress | undefined;
  #restored: readonly DraftField[] | undefined;
  #focused: string | undefined;
  /** Rows to select when their page is read. */
  #wanted: ReadonlySet<string> = new Set();

  constructor(api: ApiClient) {
    this.api = api;
  }

  async start(): Promise<void> {
    await this.attempt(async () => {
      const info = await this.api.info();
      this.info.value = info;
      await this.readStaged();
      await this.readJobs();
      // The tables are visible by now, so the user may have opened one.
      if (this.table.value === undefined) {
        const [address, entry] = firstPlace();
        this.#focused = entry?.focused;
        this.grid.refused.value = keptRefused();
        this.visit(address, entry);
        this.#restorePanel();
      }
      keepHistory(this);
      this.#keepPanels();
      effect(() => {
        if (!keepRefused(this.grid.refused.value)) this.fail(tooLargeText("The texts of refused cells are"));
      });
    });
  }

  openTable(table: string, className: string | undefined): void {
    const view = this.view.value;
    this.visit({ table, className, view, text: "", isScanAllowed: false, line: 0, selected: [] }, undefined);
  }

  /**
   * Shows an address, or the first table if the address has none that exists.
   *
   * @param entry - the rest of its entry in the history
   * @returns false if a form with unstaged changes stays open instead
   */
  visit(address: Address, entry: EntryState | undefined): boolean {
    const known = this.info.value?.tables.filter(({ isStored }) => isStored) ?? [];
    const first = known.find(({ classes }) => classes.length > 0) ?? known[0];
    const table = known.find(({ name }) => name === address.table) ?? first;
    if (table === undefined) return true;
    const isFound = table.name === address.table;
    const isOther = table.name !== this.table.value;
    if (isOther && !this.#mayLeave()) return false;
    const classes = isFound ? table.classes.filter(({ name }) => name === address.className) : table.classes;
    const shown: Address = { ...address, table: table.name, className: classes[0]?.name };
    const isRead = this.#rowsOf !== undefined && isSameQuery(shown, this.#rowsOf);
    batch(() => {
      this.table.value = table.name;
      this.className.value = shown.className;
      this.view.value = isViewOf(table.classes, address.view) ? address.view : "rows";
      this.text.value = entry?.typed ?? address.text;
      this.isScanAllowed.value = address.isScanAllowed;
      this.topLine.value = address.line;
      if (isOther) this.panel.value = undefined;
      if (!isRead || entry === undefined) {
        this.#run({ ...this.query(), text: address.text }, entry);
        this.selected.value = new Map(entry?.selected.map((row) => [idOf(row), row]));
        if (entry === undefined) this.#wanted = new Set(address.selected.map(idOf));
      }
    });
    void this.showPlan();
    return true;
  }

  /** Creates a table and shows it. Returns whether it succeeded. */
  createTable(table: string): Promise<boolean> {
    return this.attemptOnce(async () => {
      this.info.value = await this.api.createTable(table);
      this.view.value = "rows";
      this.openTable(table, this.info.value.tables.find(({ name }) => name === table)?.classes[0]?.name);
      this.say(`The table ${table} was created.`);
    });
  }

  /** @param confirmed - the table's name, as the user typed it */
  dropTable(table: string, confirmed: string): Promise<boolean> {
    return this.attemptOnce(async () => {
      this.info.value = await this.api.dropTable(table, confirmed);
      batch(() => {
        this.panel.value = undefined;
        this.table.value = undefined;
        this.view.value = "rows";
      });
      this.visit(addressOf(""), undefined);
      this.say(`The table ${table} was deleted.`);
    });
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
    batch(() => {
      this.topLine.value = 0;
      this.#run(this.query(), undefined);
    });
  }

  #run(query: RowQuery, entry: Pick<EntryState, "marks" | "grid"> | undefined): void {
    const marks = entry?.marks;
    this.tree.value?.list.close();
    this.selected.value = new Map();
    this.#wanted = new Set();
    const { table, className, text, allowScan } = query;
    this.#rowsOf = { table, className, text, isScanAllowed: allowScan === true };
    this.ran.value = { text, allowScan };
    const see = this.grid.reset(query, entry?.grid);
    const list = new RowList(
      {
        page: async (after, stop) => {
          const page = await this.api.page(query, after === undefined ? firstRows : pageSize, after, stop);
          see(page.rows);
          return page;
        },
        extent: (after, stop) => this.api.extent(query, pageSize, after, stop),
      },
      () =>
        batch(() => {
          this.#selectWanted(list);
          // The columns follow from the rows that were read, and a sort needs its column.
          this.drawn.value++;
          this.grid.sortNew(list);
        }),
      marks,
    );
    this.tree.value = new RowTree(list);
    if (marks === undefined) void list.readMore();
    else if (entry?.grid.sort !== undefined) void list.restore(marks.loaded);
  }

  #selectWanted(list: RowList): void {
    if (this.#wanted.size === 0) return;
    const found = list.loadedRows().filter((row) => this.#wanted.has(idOf(row)));
    if (found.length < this.#wanted.size && !list.isAtEnd) return;
    this.#wanted = new Set();
    this.selected.value = new Map(found.map((row) => [idOf(row), row]));
  }

  query(): RowQuery {
    return {
      table: this.table.value ?? "",
      className: this.className.value,
      text: this.text.value,
      allowScan: this.isScanAllowed.value,
    };
  }

  /** Whether a form or a cell has changes that are not staged. */
  get isUnstaged(): boolean {
    return this.#isUnstaged || this.grid.edited.value !== undefined || this.grid.refused.value.size > 0;
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

  /** Opens the panel of before a reload again. */
  #restorePanel(): void {
    const kept = keptPanel();
    if (kept !== undefined && kept.table === this.table.value) {
      this.#restored = kept.fields;
      this.panel.value = kept.panel;
    }
  }

  #keepPanels(): void {
    effect(() => {
      const panel = this.panel.value;
      const table = this.table.value;
      const fields = this.#restored;
      keepPanel(panel === undefined || table === undefined ? undefined : { table, panel, fields });
    });
  }

  /** The fields of the form that was open before a reload, once. */
  takeRestored(): readonly DraftField[] | undefined {
    const restored = this.#restored;
    this.#restored = undefined;
    return restored;
  }

  /** The element that had the focus before a reload, once. */
  takeFocused(): HTMLElement | null {
    const id = this.#focused;
    this.#focused = undefined;
    return document.getElementById(id ?? "");
  }

  /** Stores the fields of the open form, for a reload. */
  keepFields(fields: readonly DraftField[]): void {
    const [panel, table] = [this.panel.value, this.table.value];
    if (panel === undefined || table === undefined) return;
    if (!keepPanel({ table, panel, fields })) this.fail(tooLargeText("This form is"));
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
        this.grid.see(children);
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
