import type { KindChooser } from "../../model/codec/choose-kind.ts";
import { queryReaderFor } from "../../model/codec/scan/query-reader.ts";
import type { QuerySource } from "../../query/query-state.ts";
import { bulkSourceOf } from "./bulk-writer.ts";
import { queryTracer } from "../../query/run/trace-query.ts";
import type { ContextParts } from "./context-parts.ts";
import { shapeCheck } from "./unknown-patterns.ts";

/** The parts of a context that a query uses. */
export function querySourceOf(parts: ContextParts, chooser: KindChooser): QuerySource {
  const { storage, options, reader, tracker, indexStates } = parts;
  const checkShape = shapeCheck(options.patterns, options.unknownPattern ?? "warn");
  return {
    storage,
    chooser,
    scope: tracker.scope.forQuery(chooser),
    ...(checkShape && { checkShape }),
    reader,
    unreadableRows: options.unreadableRows ?? "error",
    indexStates,
    ...(options.upgrade === "write" && {
      upgradeNow: (rows, check, merge, signal) => reader.upgradeNow(rows, check, merge, signal),
    }),
    clock: tracker,
    readerFor: queryReaderFor,
    tracer: queryTracer,
    bulk: (unreadableRows) => bulkSourceOf(parts, unreadableRows),
  };
}
