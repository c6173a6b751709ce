// `query-run.ts` and `read-families.ts` check every row of a response here before it is returned: kind, upgrade,
// conditions and readability.

import { type CheckedRow, type KindChooser, unreadableRow } from "../../model/codec/choose-kind.ts";
import { decodeEntity } from "../../model/codec/codec-of.ts";
import { checkClean, currentRow, mayBeOlder } from "../../model/codec/current-row.ts";
import type { LoadedProperties } from "../../model/codec/snapshot.ts";
import { errorOfRow, unlessUnreadable, type UnreadableRowPolicy } from "../../model/codec/unreadable-row.ts";
import type { StoredEntity } from "../../values/edm/stored-entity.ts";
import { evaluateFilter, lookupIn } from "../../values/filter/evaluate-filter.ts";
import type { FilterNode } from "../../values/filter/filter-node.ts";
import type { EntityModel } from "../../model/declaration/entity-model.ts";
import type { Conditions } from "../plan/conditions.ts";
import type { PlannedRequest } from "../plan/query-plan.ts";
import type { QueryScope } from "../query-state.ts";
import { evaluatePredicate } from "./evaluate-predicate.ts";

/** The checks on rows of a query. */
export interface RowRules {
  readonly chooser: KindChooser;
  readonly unreadableRows: UnreadableRowPolicy;
  /** Called for each row that is skipped, or returned in its stored form instead of an entity. */
  readonly onUnreadable?: (() => void) | undefined;
  /** The loaded properties of a class; all of them when absent. */
  readonly loadedOf?: ((model: EntityModel) => LoadedProperties) | undefined;
  readonly conditions: Conditions;
  readonly scope?: QueryScope | undefined;
  /** In the service's words, over stored names. */
  readonly raw?: FilterNode | undefined;
  /** Asks the functions of `filterInMemory`, where the query has any. */
  readonly passes?: ((checked: CheckedRow) => boolean) | undefined;
}

/**
 * Decides everything about a row of a query: its kind, whether it has to be upgraded first, whether it satisfies the
 * conditions, and how it is treated if it cannot be read. Each row is decided once, when its page arrives, and
 * carries its class from then on.
 */
export class RowCheck {
  readonly #rules: RowRules;

  constructor(rules: RowRules) {
    this.#rules = rules;
  }

  /**
   * A row that a request found, with its class; undefined when the row is not of the query. @throws KindError,
   * UpgradeError
   */
  ofRequest(row: StoredEntity, request: PlannedRequest): CheckedRow | undefined {
    return this.#unlessUnreadable(row, () => {
      // The row's own class reads its keys; a base class may not know all of their parts.
      const checked = this.ofKind(row);
      if (checked === undefined) return undefined;
      return (!request.needsCheck || this.holds(checked.model, row)) && this.#isOfEntity(checked)
        ? checked
        : undefined;
    });
  }

  /** A row that was read again by its key; undefined when it is no longer of the query. */
  again(row: StoredEntity): CheckedRow | undefined {
    return this.#unlessUnreadable(row, () => {
      const checked = this.ofKind(row);
      return checked !== undefined && this.holds(checked.model, row) && this.#isOfEntity(checked)
        ? checked
        : undefined;
    });
  }

  /** Checks a row by its kind alone, without the conditions. @throws KindError */
  ofKind(row: StoredEntity): CheckedRow | undefined {
    const { chooser, scope } = this.#rules;
    // First: a row of another scope is not stored for this context, whether it can be read or not.
    if (scope?.holds(chooser, row) === false) return undefined;
    const model = chooser.choose(row);
    return model && { row, model };
  }

  /** Whether a row satisfies the conditions, and can be read as an entity. */
  isWanted(model: EntityModel, row: StoredEntity): boolean {
    const checked = { row, model };
    const check = (): CheckedRow | undefined =>
      this.holds(model, row) && this.#isReadable(checked) ? checked : undefined;
    return this.#unlessUnreadable(row, check) !== undefined;
  }

  /**
   * Whether a row satisfies the conditions. @throws UpgradeError; SerializationError for a value that cannot be
   * compared
   */
  holds(model: EntityModel, row: StoredEntity): boolean {
    const { conditions, raw } = this.#rules;
    const predicate = conditions.for(model);
    try {
      if (predicate !== undefined && !evaluatePredicate(model, predicate, currentRow(model, row)))
        return false;
    } catch (error) {
      throw errorOfRow(error, model, row);
    }
    return raw === undefined || evaluateFilter(raw, lookupIn(row));
  }

  #isOfEntity(checked: CheckedRow): boolean {
    return this.#isReadable(checked) && this.#rules.passes?.(checked) !== false;
  }

  /** Reads a row once if unreadable rows are skipped: only entities are counted and taken. */
  #isReadable({ model, row }: CheckedRow): boolean {
    const { unreadableRows, loadedOf } = this.#rules;
    if (unreadableRows === "skip") decodeEntity(model, row, loadedOf?.(model));
    return true;
  }

  #unlessUnreadable(row: StoredEntity, check: () => CheckedRow | undefined): CheckedRow | undefined {
    const { unreadableRows, chooser, onUnreadable } = this.#rules;
    if (unreadableRows === "error") return check();
    return unlessUnreadable(unreadableRows, check, (policy, error) => {
      onUnreadable?.();
      const [model] = chooser.models;
      return policy === "skip" || model === undefined ? undefined : unreadableRow(model, row, error);
    });
  }
}

/**
 * A projection reads parts of rows, and no part can be upgraded: parts are requested only from a table that was
 * declared clean.
 *
 * @throws UpgradeError `upgrade.not-clean`
 */
export function checkPart({ model, row }: CheckedRow): void {
  if (!mayBeOlder(model)) checkClean(model, row);
}
