import { Client } from "./client.ts";
import type { Notes } from "./notes.ts";
import type { State } from "./state.ts";
import { edited, type Step, step } from "./store.ts";

/** What the user of a context does between saves. */
export function* userSteps(state: State, at: number, notes: Notes): Generator<Step> {
  const { left } = state;
  const before = new Client(state, at, notes);
  const name = state.contexts.length > 1 ? `context ${at + 1} ` : "";
  const go = (label: string, what: keyof State["left"], change: (client: Client) => void): Step =>
    step(state, name + label, (next) => {
      next.left[what]--;
      change(new Client(next, at, notes));
    });
  const { ended, entities } = before.context;
  if (left.saves > 0 && (before.wanted().length > 0 || ended.length > 0 || before.late().length > 0))
    yield go("saves", "saves", (client) => client.startSave());
  const canResolve = before.ownAttempts().some((one) => one.state === "open" || one.state === "over");
  if (left.resolves > 0 && canResolve) yield go("resolves", "resolves", (client) => client.startResolve());
  for (const row of entities.keys()) yield* entitySteps(before, row, go);
}

type Go = (label: string, what: keyof State["left"], change: (client: Client) => void) => Step;

function* entitySteps(before: Client, row: number, go: Go): Generator<Step> {
  const { state, context, notes } = before;
  const { left } = state;
  const { wants: i, etag, isDetached } = context.entities[row]!;
  if (isDetached) return;
  const pending = state.intentions[i];
  const isSent = pending !== undefined && pending.attempts.length > 0;
  const isDeleted = pending?.changes.some((one) => one.type === "delete") ?? false;
  if (left.edits > 0 && isSent && pending.changes.some((one) => one.row === row && one.type !== "delete"))
    yield go(`edits ${row + 1}`, "edits", (client) => {
      end(client, i);
      const changes = pending.changes.map((one) => (one.row === row ? { ...one, value: edited } : one));
      if (notes.weak === "edit leaves its group") for (const change of changes) client.intend([change]);
      else client.intend(changes);
    });
  if (left.edits > 0 && notes.scenario.editsStored && pending === undefined && etag !== undefined)
    yield go(`edits ${row + 1}`, "edits", (client) => client.intend([{ type: "put", row, value: edited }]));
  const canRemove =
    pending === undefined ? etag !== undefined : isSent && !isDeleted && pending.changes.length === 1;
  if (left.removals > 0 && canRemove)
    yield go(`deletes ${row + 1}`, "removals", (client) => {
      if (pending !== undefined) end(client, i);
      const mayExist =
        etag !== undefined ||
        client.context.ended.some((j) => client.changesOf(j).some((one) => one.row === row));
      if (mayExist) client.intend([{ type: "delete", row, value: 0 }]);
      else client.detach(row);
    });
  if (left.discards > 0 && pending !== undefined)
    yield go(`discards ${row + 1}`, "discards", (client) => {
      end(client, i);
      client.state.mayGoApart = true;
      for (const change of pending.changes) {
        const entity = client.context.entities[change.row]!;
        entity.wants = -1;
        if (change.row !== row) client.intend([change]);
        else if (entity.etag === undefined || entity.isUpsert) entity.isDetached = true;
      }
    });
  const stored = state.rows[row];
  if (left.queries > 0 && stored !== undefined && etag !== undefined && etag !== "?" && etag !== stored.etag)
    yield go(`queries ${row + 1} with preserveChanges`, "queries", (client) => client.learn(row, stored));
}

/** The intention is not wanted any more; what was sent of it may still take effect. */
function end(client: Client, i: number): void {
  if (client.isInDoubt(i)) client.context.ended = [...client.context.ended, i];
}
