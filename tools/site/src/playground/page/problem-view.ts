import { withBase } from "vitepress";
import { h, type VNode } from "vue";
import type { Problem } from "../program.ts";

/** An error, with a link to the page of its code. */
export const problemView = ({ message, line, code }: Problem): VNode =>
  h("p", { class: "problem" }, [
    line === undefined ? undefined : h("strong", `Line ${line}: `),
    message,
    code === undefined ? undefined : [" ", h("a", { href: withBase(`/errors/${code}`) }, code)],
  ]);
