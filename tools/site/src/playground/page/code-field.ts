import { defineComponent, h, onBeforeUnmount, onMounted, type PropType, ref, watch } from "vue";
import type { Problem } from "../program.ts";
import type { Editor } from "./create-editor.ts";
import { problemView } from "./problem-view.ts";

/** A field for code: a text area, until the editor has loaded. */
export const CodeField = defineComponent({
  props: {
    name: { type: String, required: true },
    label: { type: String, required: true },
    hint: { type: String, required: true },
    text: { type: String, required: true },
    problems: { type: Array as PropType<readonly Problem[]>, required: true },
  },
  emits: { edit: (_text: string) => true },
  setup(props, { emit }) {
    const place = ref<HTMLElement>();
    const isLoaded = ref(false);
    let editor: Editor | undefined;
    let isEnded = false;
    onMounted(async () => {
      const loaded = await import("./create-editor.ts").catch(() => undefined);
      // Without the editor, the text area stays.
      if (loaded === undefined || isEnded || place.value === undefined) return;
      const { text, label } = props;
      editor = loaded.createEditor(place.value, { text, label, onInput: (input) => emit("edit", input) });
      isLoaded.value = true;
    });
    onBeforeUnmount(() => {
      isEnded = true;
      editor?.end();
    });
    watch(
      () => props.text,
      (text) => editor?.show(text),
    );
    /** Browsers report no line for errors of syntax in text. */
    const located = (problem: Problem): Problem => {
      const line = problem.message.startsWith("SyntaxError")
        ? editor?.errorLine(props.name === "rows")
        : undefined;
      return line === undefined ? problem : { ...problem, line };
    };
    return () =>
      h("section", { class: ["field", props.problems.length > 0 && "has-problem"] }, [
        h("h2", { class: "field-label" }, [props.label, h("small", props.hint)]),
        h("div", { class: "code", "data-field": props.name }, [
          isLoaded.value
            ? undefined
            : h("textarea", {
                "aria-label": props.label,
                spellcheck: false,
                rows: Math.max(3, props.text.split("\n").length),
                value: props.text,
                onInput: (event: Event) => emit("edit", (event.target as HTMLTextAreaElement).value),
              }),
          h("div", { ref: place }),
        ]),
        props.problems.map((problem) => problemView(located(problem))),
      ]);
  },
});
