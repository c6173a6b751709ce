import {
  type ContextOptions,
  type ResolveOptions,
  SaveError,
  type SaveOptions,
  type SaveResult,
  TableContext,
  type TableStorage,
  toPlain,
} from "@partita/core";
import { modelOf } from "@partita/core/models";
import type { ReportedResult } from "./journal.ts";
import { scopes } from "./own-time.ts";

/** Who collects what a context reports. */
export interface ResultCollector {
  nextSave(): number;
  collect(result: Pick<ReportedResult, Reported>): void;
}

type Reported = "save" | "table" | "partitionKey" | "rowKey" | "values" | "result" | "isLast";

interface Subject {
  readonly table: string;
  readonly partitionKey: string;
  readonly rowKey: string;
  readonly values: string;
}

/** A context whose saves can be compared with what happened in the store. */
export class ObservedContext extends TableContext {
  readonly #collector: ResultCollector;
  readonly #subjects: WeakMap<object, Subject> = new WeakMap();

  constructor(storage: TableStorage, options: ContextOptions, collector: ResultCollector) {
    super(storage, options);
    this.#collector = collector;
  }

  override async saveChanges(options?: SaveOptions): Promise<readonly SaveResult[]> {
    const save = this.#collector.nextSave();
    const more = { save, isLast: false };
    for (const { entity } of this.pendingChanges()) this.#note(entity);
    const scope = scopes.getStore();
    const run = (): Promise<readonly SaveResult[]> => super.saveChanges(options);
    try {
      const results = await (scope === undefined ? run() : scopes.run({ ...scope, save }, run));
      this.#collect(results, more);
      return results;
    } catch (error) {
      if (SaveError.is(error)) this.#collect(error.results, more);
      throw error;
    }
  }

  override async resolveInDoubt(options?: ResolveOptions): Promise<readonly SaveResult[]> {
    const results = await super.resolveInDoubt(options);
    this.#collect(results, { save: undefined, isLast: false });
    return results;
  }

  /** Resolves once faults have stopped. @returns the results of what is in doubt even then */
  async resolveAtEnd(): Promise<readonly SaveResult[]> {
    const results = await super.resolveInDoubt({ wait: true });
    this.#collect(results, { save: undefined, isLast: true });
    return super.resolveInDoubt();
  }

  /** Remembers the key of an entity, which a removal takes from it. */
  #note(entity: object): Subject | undefined {
    const { key } = this.entry(entity);
    if (key === undefined) return this.#subjects.get(entity);
    const { table } = modelOf(entity.constructor as Parameters<typeof modelOf>[0]);
    const subject = { table, ...key, values: valuesOf(entity) };
    this.#subjects.set(entity, subject);
    return subject;
  }

  #collect(results: readonly SaveResult[], more: Pick<ReportedResult, "save" | "isLast">): void {
    for (const result of results) {
      const subject = this.#subjects.get(result.entity) ?? this.#note(result.entity);
      if (subject !== undefined) this.#collector.collect({ ...subject, ...more, result });
    }
  }
}

/** What an entity cannot show as plain values is compared by nothing. */
function valuesOf(entity: object): string {
  try {
    return JSON.stringify(toPlain(entity));
  } catch {
    return "";
  }
}
