import { perModel } from "../../declaration/per-model.ts";
import type { EntityModel } from "../../declaration/entity-model.ts";
import { olderLayoutOf } from "../older-layout.ts";
import { compileScanner, type Scanner, type ScannerForm } from "./compile-scanner.ts";
import { isWithin, type MemberOrder, mergeOrders, orderOfRow } from "./member-order.ts";

/** The first short rows are not looked at: a program that reads one page and ends has nothing of it. */
const rowsOfShortPrograms = 32;
/** Rows of an order that are looked at before code is written for it. */
const rowsToLearn = 168;
/** A row of so many bytes counts as one; a longer one as several, since it takes longer to parse. */
const bytesOfRow = 4096;
/** Orders that are known at the same time: rows in other orders are parsed. */
const maxOrders = 8;
/** How often code is written for the rows of one class, however its rows change. */
const maxCompiled = 32;
/** So many rows that no scanner reads are looked at; then every sixteenth, since rows may change. */
const maxLookedAt = 2000;

/** An order of members, and how many rows of it were seen. */
interface SeenOrder {
  order: MemberOrder;
  rows: number;
}

/**
 * The scanners of one class, one for each order of members found in its rows. Rows that lack some members have the
 * same order.
 */
export class RowScanners {
  readonly #model: EntityModel;
  readonly #form: Omit<ScannerForm, "order">;
  /** Orders that were not seen often enough. */
  #seen: SeenOrder[] = [];
  #orders: MemberOrder[] = [];
  #compiled = 0;
  #misses = 0;
  /** The oldest first. The list is replaced, and never changed, when one is added. */
  scanners: readonly Scanner[] = [];

  constructor(model: EntityModel, form: Omit<ScannerForm, "order">) {
    this.#model = model;
    this.#form = form;
  }

  /**
   * Whether to pass another row that no scanner reads to `learn`. It counts the row.
   *
   * @param classes - how many classes the row may be of
   * @param bytes - how long it is
   */
  isWorthALook(classes: number, bytes: number): boolean {
    if (this.#compiled >= maxCompiled) return false;
    if (++this.#misses <= rowsOfShortPrograms && bytes < bytesOfRow) return false;
    return this.#misses <= maxLookedAt * classes || this.#misses % 16 === 0;
  }

  /**
   * Looks at a row that no scanner reads.
   *
   * @param row - the parsed row, before any change to it
   * @param bytes - how long it is
   */
  learn(row: Readonly<Record<string, unknown>>, bytes: number): void {
    if (this.#compiled >= maxCompiled) return;
    const order = orderOfRow(this.#form.layout?.rows ?? this.#model, row);
    // A row of a known order has an unusual value.
    if (order === undefined || this.#orders.some((known) => isWithin(order, known))) return;
    const seen = this.#see(order, Math.max(1, Math.floor(bytes / bytesOfRow)));
    if (seen.rows < rowsToLearn) return;
    this.#seen = this.#seen.filter((each) => each !== seen);
    this.#add(seen.order);
  }

  #see(order: MemberOrder, rows: number): SeenOrder {
    for (const seen of this.#seen) {
      const merged = mergeOrders(seen.order, order);
      if (merged === undefined) continue;
      seen.order = merged;
      seen.rows += rows;
      return seen;
    }
    const seen = { order, rows };
    this.#seen = [...this.#seen.slice(1 - maxOrders), seen];
    return seen;
  }

  /**
   * Writes code for an order, together with a known one that it fits into; the oldest order is dropped to limit their
   * number.
   */
  #add(order: MemberOrder): void {
    this.#compiled++;
    const at = this.#orders.findIndex((known) => mergeOrders(known, order) !== undefined);
    const known = this.#orders[at];
    const whole = (known && mergeOrders(known, order)) ?? order;
    const scanner = compileScanner(this.#model, { order: whole, ...this.#form });
    if (scanner === undefined) {
      // The runtime compiles no text.
      this.#compiled = maxCompiled;
      return;
    }
    const others = (_: unknown, i: number): boolean =>
      known === undefined ? i > this.#orders.length - maxOrders : i !== at;
    this.scanners = [...this.scanners.filter(others), scanner];
    this.#orders = [...this.#orders.filter(others), whole];
  }
}

/** By the form of scanner. */
const scannersByForm = perModel(() => new Map<string, RowScanners[]>());

/** The scanners of a class, which all queries share: for its present form, and for an older one that its rows keep. */
export function scannersOf(model: EntityModel, isTracked: boolean, isBody: boolean): readonly RowScanners[] {
  const forms = scannersByForm(model);
  const name = `${isTracked} ${isBody}`;
  let scanners = forms.get(name);
  if (scanners === undefined) {
    const form = { isTracked, isBody };
    const layout = olderLayoutOf(model);
    scanners = [new RowScanners(model, form)];
    if (layout !== undefined) scanners.unshift(new RowScanners(model, { ...form, layout }));
    forms.set(name, scanners);
  }
  return scanners;
}
