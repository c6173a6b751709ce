import { type ContextOptions, type RetryPolicy, StorageError, type TableStorage } from "@partita/core";
import type { Clock } from "@partita/core/storage";
import { isTransient, waitOf } from "@partita/core/internal";
import { isMessageLost, type MessageReceipt, type QueueStorage, type ReceivedMessage } from "@partita/queues";
import type { Dispatch, HeldDelivery, Release, Work } from "../delivery/work.ts";
import { WorkflowError } from "../errors/workflow-error.ts";
import { parseMessage } from "../messages/message-text.ts";
import { type KnownTasks, taskWork } from "../tasks/task-work.ts";
import { MessageLease } from "./message-lease.ts";
import { isOfMessage, putPoison } from "./poison-message.ts";
import { traceTask } from "./trace-task.ts";
import type { EventOfMessage, WorkerEvent } from "./worker-event.ts";

/** The services for processing messages. */
export interface HandlingSource {
  readonly storage: TableStorage;
  readonly queues: QueueStorage;
  readonly clock: Clock;
  readonly visibilityMs: number;
  readonly retry: RetryPolicy;
  readonly tasks: KnownTasks;
  readonly dispatchers: readonly Dispatch[];
  readonly contextOptionsFor: (input: unknown, workflow: string) => ContextOptions;
  readonly report: (event: WorkerEvent) => void;
  /** Aborted when the worker stops. */
  readonly stopping: AbortSignal;
}

/** Attempts to remove or release a message. */
const mostTries = 4;
const firstWaitMs = 100;

/** Processes one received message. It never rejects: failures are reported. */
export class MessageHandling {
  readonly #source: HandlingSource;
  readonly #queue: string;
  readonly #message: ReceivedMessage;
  readonly #lease: MessageLease;
  /** Aborted when the message is lost, or the worker stops. */
  readonly #signal: AbortSignal;
  #work: Work | undefined;

  /** @param sentAt - when the receive request was sent, by `monotonicTime(clock)` */
  constructor(source: HandlingSource, queue: string, message: ReceivedMessage, sentAt: number) {
    const { queues, clock, visibilityMs, stopping } = source;
    this.#source = source;
    this.#queue = queue;
    this.#message = message;
    this.#lease = new MessageLease({ queues, queue, message, visibilityMs, clock, sentAt });
    this.#signal = AbortSignal.any([this.#lease.lost, stopping]);
  }

  async run(): Promise<void> {
    const { clock, report } = this.#source;
    const from = clock.now();
    try {
      this.#signal.throwIfAborted();
      const work = await this.#understand();
      const release = work === undefined ? undefined : await this.#do(work);
      if (release !== undefined) await this.#release(release);
      else if (await this.#finish((receipt) => this.#remove(receipt)))
        report({ ...this.#about(), type: "done", durationMs: clock.now() - from });
    } catch (error) {
      await this.#failed(error);
    }
  }

  /** @returns undefined if there is nothing to do. @throws WorkflowError for an unknown message */
  async #understand(): Promise<Work | undefined> {
    if (this.#message.isMalformed === true)
      throw new WorkflowError(
        "workflow.message",
        "The message is not in the encoding of the queue: another program sent it. Send messages with send(), start() or outbox().",
      );
    const message = parseMessage(this.#message.text);
    const { dispatchers, tasks, report, ...source } = this.#source;
    const scope = {
      ...source,
      queue: this.#queue,
      signal: this.#signal,
      report,
      taskWork: (name: string, id: string, payload: unknown) => taskWork(tasks, name, id, payload),
    };
    for (const dispatch of dispatchers) {
      const work = await dispatch(message, scope);
      if (work === "nothing to do") return undefined;
      if (work !== undefined) return work;
    }
    throw new WorkflowError("workflow.message", "The worker processes no messages of this kind.");
  }

  #do(work: Work): Promise<Release | void> {
    this.#work = work;
    this.#source.report({ ...this.#about(), type: "started" });
    const delivery = this.#delivery(work);
    return traceTask(this.#about(), async () => work.run(delivery));
  }

  #delivery({ id }: Pick<Work, "id">): HeldDelivery {
    const lease = this.#lease;
    return {
      id,
      messageId: this.#message.id,
      queue: this.#queue,
      deliveries: this.#message.deliveries,
      signal: this.#signal,
      visibilityMs: this.#source.visibilityMs,
      lost: lease.lost,
      get isHeld() {
        return lease.isHeld;
      },
    };
  }

  #about(): EventOfMessage {
    const { id: messageId, deliveries } = this.#message;
    const { kind, name, id } = this.#work ?? {};
    const ofWork = kind !== undefined && name !== undefined && id !== undefined && { kind, name, id };
    return { queue: this.#queue, messageId, deliveries, ...ofWork };
  }

  async #failed(error: unknown): Promise<void> {
    const { report, stopping } = this.#source;
    if (!this.#lease.isHeld) {
      await this.#lease.end();
      report({ ...this.#about(), type: "lost", error });
    } else if (stopping.aborted) await this.#release({ againAfterMs: 0 });
    else if (this.#isPoison(error)) await this.#poison(error);
    else await this.#later(error);
  }

  #isPoison(error: unknown): boolean {
    if (isOfMessage(error)) return true;
    const isOvertaken = WorkflowError.is(error) && error.code === "workflow.lease-lost";
    return !isOvertaken && this.#work?.isExhausted(this.#delivery(this.#work)) === true;
  }

  /**
   * Puts the message into the poison queue before it is removed here. A worker that ends in between leaves it
   * in both queues and loses nothing.
   */
  async #poison(error: unknown): Promise<void> {
    const { queues, report } = this.#source;
    const work = this.#work;
    try {
      const poison = { queue: this.#queue, message: this.#message, error, text: work?.text };
      await putPoison(queues, poison, this.#lease.lost);
      if (work !== undefined) await work.abandon?.(error, this.#delivery(work));
    } catch (cause) {
      await this.#later(cause);
      return;
    }
    if (await this.#finish((receipt) => this.#remove(receipt)))
      report({ ...this.#about(), type: "poisoned", error });
  }

  async #later(error: unknown): Promise<void> {
    const { retry, report } = this.#source;
    const failures = this.#work?.failures(this.#delivery(this.#work)) ?? this.#message.deliveries;
    const hints = StorageError.is(error) ? error : undefined;
    const againAfterMs = Math.ceil(waitOf(retry, failures, hints));
    if (await this.#finish((receipt) => this.#update(receipt, { againAfterMs })))
      report({ ...this.#about(), type: "failed", error, againAfterMs });
  }

  async #release(release: Release): Promise<void> {
    if (await this.#finish((receipt) => this.#update(receipt, release)))
      this.#source.report({ ...this.#about(), type: "released", againAfterMs: release.againAfterMs });
  }

  #remove(receipt: MessageReceipt): Promise<void> {
    return this.#source.queues.remove(this.#queue, receipt);
  }

  async #update(receipt: MessageReceipt, { againAfterMs, text }: Release): Promise<void> {
    const { queues } = this.#source;
    await queues.update(this.#queue, receipt, {
      visibilityMs: againAfterMs,
      ...(text !== undefined && { text }),
    });
  }

  /**
   * Ends the lease with a last request, which is retried while the lease is valid.
   *
   * @returns whether it succeeded
   */
  async #finish(request: (receipt: MessageReceipt) => Promise<void>): Promise<boolean> {
    const { clock, report } = this.#source;
    const receipt = await this.#lease.end();
    for (let attempt = 1; ; attempt++) {
      try {
        await request(receipt);
        return true;
      } catch (error) {
        // After a lost response, the second attempt finds the effect of the first one.
        if (isMessageLost(error) && attempt > 1) return true;
        if (!isTransient(error) || attempt === mostTries || !this.#lease.isHeld) {
          report({ ...this.#about(), type: "lost", error });
          return false;
        }
        await clock.wait(firstWaitMs * 2 ** (attempt - 1), this.#lease.lost);
      }
    }
  }
}
