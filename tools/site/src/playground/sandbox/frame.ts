// The script of the sandboxed frame. It runs each program in a worker of its own, and ends one that takes too long.

import type { Outcome, Program } from "../program.ts";

/** A program that the page sends. */
export interface Asked {
  readonly id: number;
  readonly program: Program;
}

/** An outcome that the frame sends back; undefined if the program did not end in time. */
export interface Answered {
  readonly id: number;
  readonly outcome: Outcome | undefined;
}

/** Milliseconds that a program may take, once its worker has loaded. */
const limitMs = 3000;

const text = document.querySelector("#engine")?.textContent ?? "";
const engine = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
let end = (): void => undefined;

addEventListener("message", ({ data, source }: MessageEvent<Asked>) => {
  if (source !== parent) return;
  end();
  const worker = new Worker(engine);
  let timer: ReturnType<typeof setTimeout> | undefined;
  end = () => {
    clearTimeout(timer);
    worker.terminate();
  };
  const answer = (outcome: Outcome | undefined): void => {
    end();
    parent.postMessage({ id: data.id, outcome } satisfies Answered, "*");
  };
  worker.addEventListener("message", ({ data: sent }: MessageEvent<"started" | Outcome>) => {
    if (sent === "started") timer = setTimeout(() => answer(undefined), limitMs);
    else answer(sent);
  });
  worker.addEventListener("error", ({ message }) =>
    answer({ problems: [{ field: "model", message }], rows: [] }),
  );
  worker.postMessage(data.program);
});
parent.postMessage("ready", "*");
