import { WorkflowError } from "../errors/workflow-error.ts";

/** Asks for a task. */
interface TaskMessage {
  readonly partita: 1;
  readonly task: string;
  readonly id: string;
  readonly payload?: unknown;
}

/** Starts a run of a workflow, or goes on with it. */
export interface WorkflowMessage {
  readonly partita: 1;
  readonly workflow: string;
  readonly id: string;
  readonly input?: unknown;
  /** Set where a failed run is to go on: which retry this is. */
  readonly retry?: string;
  /** The version that the run had when this message came a second time for it, and waited. */
  readonly seen?: string;
}

/** Points to a message that stands in a row, which the transaction of a save stored or not. */
interface OutboxMessage {
  readonly partita: 1;
  readonly outbox: OutboxPointer;
  readonly queueId?: string;
}

/** Where a message stands, and what is known of the row there. */
export interface OutboxPointer {
  readonly table: string;
  readonly partition: string;
  readonly row: string;
  /** Which try of putting the pointer this is: the row names the one that was answered. */
  readonly put?: number;
  /** `stored`: by one request, and no other one may arrive. `closed`: there is no message any more; the row is to be removed. */
  readonly state?: "stored" | "closed";
}

/** What messages of this library say. */
export type Message = TaskMessage | WorkflowMessage | OutboxMessage;

/** The JSON text of a message, as it is put into a queue. */
export const printMessage = (message: Message): string => JSON.stringify(message);

/**
 * Reads a message's text.
 *
 * @throws WorkflowError `workflow.message` for a text that is none of ours
 */
export function parseMessage(text: string): Message {
  const message = parseJson(text);
  if (!isRecord(message)) throw malformed("is no JSON object");
  if (message["partita"] !== 1) throw malformed('has no "partita": 1');
  for (const kind of kinds) if (Object.hasOwn(message, kind.name)) return checked(message, kind);
  throw malformed("names neither a task nor a workflow nor a row of an outbox");
}

interface Kind {
  readonly name: string;
  /** What its message has beside `partita`, and may have. */
  readonly accepts: (message: Readonly<Record<string, unknown>>) => boolean;
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

/** A worker writes at the place that a pointer names: no message leads it to the row of an entity. */
const isOutboxRow = (row: unknown): boolean => isText(row) && row.startsWith("~o~");

const kinds: readonly Kind[] = [
  { name: "task", accepts: ({ task, id }) => isText(task) && isText(id) },
  {
    name: "workflow",
    accepts: ({ workflow, id, retry, seen }) =>
      isText(workflow) && isText(id) && [retry, seen].every((text) => text === undefined || isText(text)),
  },
  {
    name: "outbox",
    accepts: ({ outbox, queueId }) =>
      isRecord(outbox) &&
      isText(outbox["table"]) &&
      typeof outbox["partition"] === "string" &&
      isOutboxRow(outbox["row"]) &&
      ["undefined", "number"].includes(typeof outbox["put"]) &&
      [undefined, "stored", "closed"].includes(outbox["state"] as undefined) &&
      (queueId === undefined || isText(queueId)),
  },
];

function checked(message: Readonly<Record<string, unknown>>, { name, accepts }: Kind): Message {
  if (!accepts(message)) throw malformed(`has "${name}" without what belongs to it`);
  return message as unknown as Message;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message quotes the text.
    return undefined;
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const malformed = (why: string): WorkflowError =>
  new WorkflowError(
    "workflow.message",
    `The message is none of a task, workflow or outbox: it ${why}. Send messages by send(), start() or outbox().`,
  );
