import type { Outcome, Program } from "../program.ts";
import type { Answered, Asked } from "../sandbox/frame.ts";

/** Runs programs in the sandboxed frame, which has no access to this page. */
export class Sandbox {
  readonly #frame: HTMLIFrameElement;
  readonly #ready: Promise<void>;
  readonly #waiting = new Map<number, (answered: Answered) => void>();
  readonly #ended = new AbortController();
  #last = 0;

  /** @param frame - it has loaded nothing yet */
  constructor(frame: HTMLIFrameElement, address: string) {
    this.#frame = frame;
    this.#ready = new Promise((resolve) => {
      const take = ({ data, source }: MessageEvent<"ready" | Answered>): void => {
        if (source !== frame.contentWindow) return;
        if (data === "ready") resolve();
        else this.#waiting.get(data.id)?.(data);
      };
      addEventListener("message", take, { signal: this.#ended.signal });
    });
    frame.src = address;
  }

  /** The outcome of a program; undefined if a later one replaced it. */
  async run(program: Program): Promise<Outcome | undefined> {
    const id = ++this.#last;
    await this.#ready;
    if (id !== this.#last) return undefined;
    this.#waiting.clear();
    const answered = new Promise<Answered>((resolve) => this.#waiting.set(id, resolve));
    // Messages take no proxies, as examples are in `pnpm docs:dev`.
    const asked: Asked = { id, program: { ...program } };
    this.#frame.contentWindow?.postMessage(asked, "*");
    const { outcome } = await answered;
    return id === this.#last ? (outcome ?? tooLong) : undefined;
  }

  /** Leaves the frame. */
  end(): void {
    this.#ended.abort();
  }
}

const tooLong: Outcome = {
  problems: [
    { field: "model", message: "The program did not end within 3 seconds. Look for a loop without an end." },
  ],
  rows: [],
};
