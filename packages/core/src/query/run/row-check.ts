import type { CheckedRow, KindChooser } from "../../codec/choose-kind.ts";
import { checkClean, currentRow, mayBeOlder, mayLeaveOut } from "../../codec/current-row.ts";
import type { StoredEntity } from "../../edm/stored-entity.ts";
import { evaluateFilter, lookupIn } from "../../filter/evaluate-filter.ts";
import type { FilterNode } from "../../filter/filter-node.ts";
import type { EntityModel } from "../../model/entity-model.ts";
import { type FailedUpgradePolicy, unlessUpgradeFails } from "../../upgrade/failed-upgrade.ts";
import type { Conditions } from "../plan/conditions.ts";
import type { PlannedRequest } from "../plan/query-plan.ts";
import { evaluatePredicate } from "./evaluate-predicate.ts";

/** What rows of a query are checked for. */
export interface RowRules {
  readonly chooser: KindChooser;
  readonly failedUpgrades: FailedUpgradePolicy;
  readonly conditions: Conditions;
  /** In the service's words, over stored names. */
  readonly raw?: FilterNode | undefined;
}

/**
 * Decides everything about a row of a query: its kind, whether it has to be upgraded first, whether it satisfies the
 * conditions, and what a failed upgrade means. Each row is decided once, when its page arrives, and carries its class
 * from there on.
 */
export class RowCheck {
  readonly #rules: RowRules;

  constructor(rules: RowRules) {
    this.#rules = rules;
  }

  /** The class of a row that a request found; undefined when the row is not of the query. @throws KindError, UpgradeError */
  ofRequest(row: StoredEntity, request: PlannedRequest): EntityModel | undefined {
    // The row's own class reads its keys; a base class may not know all of their parts.
    const model = this.#rules.chooser.choose(row);
    if (model === undefined) return undefined;
    const isDecided =
      !request.needsCheck && request.type !== "point" && !mayLeaveOut(model, this.#rules.failedUpgrades);
    return isDecided || this.holds(model, row) ? model : undefined;
  }

  /** A row that was read again by its key; undefined when it is no longer of the query. */
  again(row: StoredEntity): CheckedRow | undefined {
    const checked = this.ofKind(row);
    return checked !== undefined && this.holds(checked.model, row) ? checked : undefined;
  }

  /** A row by its kind alone, whatever the conditions are. */
  ofKind(row: StoredEntity): CheckedRow | undefined {
    const model = this.#rules.chooser.choose(row);
    return model && { row, model };
  }

  /** Whether a row can be read as an entity. */
  isEntity(model: EntityModel, row: StoredEntity): boolean {
    return this.#unlessFailed(
      () => {
        currentRow(model, row, true);
        return true;
      },
      () => false,
    );
  }

  /** Whether a row satisfies the conditions. One that cannot be upgraded satisfies them where it is wanted as it is. */
  holds(model: EntityModel, row: StoredEntity): boolean {
    return this.#unlessFailed(
      () => {
        if (mayLeaveOut(model, this.#rules.failedUpgrades)) currentRow(model, row, true);
        return this.#matches(model, row);
      },
      (policy) => policy === "raw",
    );
  }

  #matches(model: EntityModel, row: StoredEntity): boolean {
    const { conditions, raw } = this.#rules;
    const predicate = conditions.for(model);
    if (predicate !== undefined && !evaluatePredicate(model, predicate, currentRow(model, row, true)))
      return false;
    return raw === undefined || evaluateFilter(raw, lookupIn(row));
  }

  #unlessFailed(work: () => boolean, otherwise: (policy: "skip" | "raw") => boolean): boolean {
    return unlessUpgradeFails(this.#rules.failedUpgrades, work, otherwise);
  }
}

/**
 * A projection reads parts of rows, and no part can be upgraded: only a table that was declared clean is asked for them.
 *
 * @throws UpgradeError `upgrade.not-clean`
 */
export function checkPart({ model, row }: CheckedRow): void {
  if (!mayBeOlder(model)) checkClean(model, row);
}
