import { WorkflowError } from "../errors/workflow-error.ts";

/** Runs a task. */
interface TaskMessage {
  readonly partita: 1;
  readonly task: string;
  readonly id: string;
  readonly payload?: unknown;
}

/** Starts or continues a run of a workflow. */
export interface WorkflowMessage {
  readonly partita: 1;
  readonly workflow: string;
  readonly id: string;
  readonly input?: unknown;
  /** Identifies the retry, if a failed run should continue. */
  readonly retry?: string;
  /** The version of the run when this message found it in progress and started to wait. */
  readonly seen?: string;
}

/** Points to a message in a row, which a save's transaction stored or not. */
interface OutboxMessage {
  readonly partita: 1;
  readonly outbox: OutboxPointer;
  readonly queueId?: string;
}

/** The location of a message, and the known state of its row. */
export interface OutboxPointer {
  readonly table: string;
  readonly partition: string;
  readonly row: string;
  /** The attempt of putting the pointer. The row contains the number of the attempt that succeeded. */
  readonly put?: number;
  /**
   * `stored`: it was stored by one request, and no other can arrive. `closed`: there is no message any more,
   * and the row is to be deleted.
   */
  readonly state?: "stored" | "closed";
}

/** The messages of this library. */
export type Message = TaskMessage | WorkflowMessage | OutboxMessage;

/** The JSON text of a message, for a queue. */
export const printMessage = (message: Message): string => JSON.stringify(message);

/**
 * Parses a message's text.
 *
 * @throws WorkflowError `workflow.message` if the text is not a message of this library
 */
export function parseMessage(text: string): Message {
  const message = parseJson(text);
  if (!isRecord(message)) throw malformed("is not a JSON object");
  if (message["partita"] !== 1) throw malformed('has no "partita": 1');
  for (const kind of kinds) if (Object.hasOwn(message, kind.name)) return checked(message, kind);
  throw malformed("contains neither a task nor a workflow nor a row of an outbox");
}

interface Kind {
  readonly name: string;
  /** Whether a message has the right members for its kind. */
  readonly accepts: (message: Readonly<Record<string, unknown>>) => boolean;
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

/**
 * A worker writes to the row of a pointer. This check keeps messages from pointing to the row of an entity.
 */
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
  if (!accepts(message)) throw malformed(`has "${name}" without its other members`);
  return message as unknown as Message;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message would quote the text.
    return undefined;
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const malformed = (why: string): WorkflowError =>
  new WorkflowError(
    "workflow.message",
    `The message does not belong to a task, workflow or outbox: it ${why}. Send messages with send(), start() or outbox().`,
  );
