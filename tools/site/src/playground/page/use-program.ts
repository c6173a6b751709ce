// The state of the playground. An edit runs the program after a short pause, and puts it into the address, so a reload
// shows it again.

import { withBase } from "vitepress";
import { onBeforeUnmount, onMounted, type Ref, ref, shallowRef, type ShallowRef } from "vue";
import type { Example } from "../examples.ts";
import type { Field, Outcome, Program } from "../program.ts";
import { Sandbox } from "./sandbox.ts";
import { hashOf, isShared, programIn } from "./share.ts";

export interface ProgramState {
  readonly program: ShallowRef<Program>;
  /** The name of the example that is shown; empty once it was edited. */
  readonly chosen: Ref<string>;
  /** The outcome of the last run. */
  readonly outcome: ShallowRef<Outcome | undefined>;
  /** A message about the address. */
  readonly message: Ref<string>;
  readonly edit: (field: Field, text: string) => void;
  readonly choose: (name: string) => void;
  readonly copyLink: () => Promise<void>;
}

/** Milliseconds after the last key. */
const pauseMs = 250;

/** @param frame - the frame of the sandbox, once it is mounted */
export function useProgram(
  examples: readonly [Example, ...Example[]],
  frame: Ref<HTMLIFrameElement | undefined>,
): ProgramState {
  const program = shallowRef(examples[0].program);
  const chosen = ref(examples[0].name);
  const outcome = shallowRef<Outcome>();
  const message = ref("");
  let sandbox: Sandbox | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const run = async (): Promise<void> => {
    outcome.value = (await sandbox?.run(program.value)) ?? outcome.value;
  };
  const keepInAddress = async (): Promise<void> =>
    history.replaceState(history.state, "", await hashOf(program.value));
  const show = (next: Program, name: string): void => {
    clearTimeout(timer);
    program.value = next;
    chosen.value = name;
    message.value = "";
  };
  /** Shows the program that the address names or holds. */
  const open = async (): Promise<void> => {
    const { hash } = location;
    const example = examples.find(({ name }) => hash === `#${name}`);
    const found = example?.program ?? (await programIn(hash));
    if (found !== undefined) show(found, example?.name ?? "");
    else if (isShared(hash)) message.value = "The link is incomplete, so the first example is shown.";
    await run();
  };

  onMounted(() => {
    if (frame.value === undefined) return;
    sandbox = new Sandbox(frame.value, withBase("/playground-sandbox.html"));
    addEventListener("hashchange", open);
    void open();
  });
  onBeforeUnmount(() => {
    clearTimeout(timer);
    removeEventListener("hashchange", open);
    sandbox?.end();
  });
  return {
    program,
    chosen,
    outcome,
    message,
    edit(field, text) {
      if (program.value[field] === text) return;
      show({ ...program.value, [field]: text }, "");
      timer = setTimeout(() => void run().then(keepInAddress), pauseMs);
    },
    choose(name) {
      const example = examples.find((each) => each.name === name);
      if (example === undefined) return;
      history.replaceState(history.state, "", `#${name}`);
      show(example.program, name);
      void run();
    },
    async copyLink() {
      await keepInAddress();
      message.value = await navigator.clipboard.writeText(location.href).then(
        () => "Link copied.",
        () => "Copy the link from the address bar.",
      );
    },
  };
}
