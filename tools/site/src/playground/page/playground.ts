import { useData, withBase } from "vitepress";
import { computed, defineComponent, h, onBeforeUnmount, onMounted, ref, shallowRef, type VNode } from "vue";
import type { Example } from "../examples.ts";
import type { Field, Outcome, Program } from "../program.ts";
import { CodeField } from "./code-field.ts";
import { planView, summaryOf } from "./plan-view.ts";
import { rowsView } from "./rows-view.ts";
import { Sandbox } from "./sandbox.ts";
import { hashOf, programIn } from "./share.ts";
import "./playground.css";

const fields: readonly (readonly [Field, label: string, hint: string])[] = [
  ["model", "Model", "classes in JavaScript, by defineEntity"],
  ["query", "Query", "ends with a query"],
  ["rows", "Sample rows", "JSON or a JavaScript expression"],
];

/** Milliseconds after the last key. */
const pauseMs = 250;

/** The playground: three fields, and the results of the last program. */
export const Playground = defineComponent({
  setup() {
    const examples = useData().frontmatter.value["examples"] as readonly Example[];
    const program = shallowRef<Program>((examples[0] as Example).program);
    const chosen = ref((examples[0] as Example).name);
    const outcome = shallowRef<Outcome>();
    const message = ref("");
    const frame = ref<HTMLIFrameElement>();
    let sandbox: Sandbox | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;

    const run = async (): Promise<void> => {
      outcome.value = (await sandbox?.run(program.value)) ?? outcome.value;
    };
    const show = (next: Program, name = ""): void => {
      program.value = next;
      chosen.value = name;
      message.value = "";
      void run();
    };
    const edit = (field: Field, text: string): void => {
      if (program.value[field] === text) return;
      program.value = { ...program.value, [field]: text };
      chosen.value = "";
      message.value = "";
      clearTimeout(timer);
      timer = setTimeout(() => void run().then(keepInAddress), pauseMs);
    };
    /** A reload shows the same program. */
    const keepInAddress = async (): Promise<void> =>
      history.replaceState(history.state, "", await hashOf(program.value));
    const choose = (name: string): void => {
      const example = examples.find((each) => each.name === name);
      if (example === undefined) return;
      history.replaceState(history.state, "", `#${name}`);
      show(example.program, name);
    };
    const open = async (): Promise<void> => {
      const { hash } = location;
      const example = examples.find(({ name }) => hash === `#${name}`);
      const shared = example?.program ?? (await programIn(hash));
      if (shared !== undefined) show(shared, example?.name);
      else {
        if (hash.startsWith("#code="))
          message.value = "The link is incomplete, so the first example is shown.";
        void run();
      }
    };
    const copyLink = async (): Promise<void> => {
      await keepInAddress();
      await navigator.clipboard.writeText(location.href).then(
        () => (message.value = "Link copied."),
        () => (message.value = "Copy the link from the address bar."),
      );
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
    });

    const toolbar = (): VNode =>
      h("div", { class: "toolbar" }, [
        h("label", [
          "Example ",
          h(
            "select",
            {
              value: chosen.value,
              onChange: (event: Event) => choose((event.target as HTMLSelectElement).value),
            },
            [
              h("option", { value: "", disabled: true }, "Your program"),
              ...examples.map(({ name, title }) => h("option", { value: name }, title)),
            ],
          ),
        ]),
        h("button", { type: "button", onClick: copyLink }, "Copy link"),
        h("span", { role: "status" }, message.value),
      ]);
    const status = computed(() => {
      const { plan, cost, problems } = outcome.value ?? { problems: [] };
      const [first] = problems;
      if (first !== undefined) return `Problem in ${first.field}: ${first.message}`;
      return plan === undefined ? "" : `Plan: ${plan.type}, ${plan.rating}. ${summaryOf(plan, cost)}`;
    });
    const problemsOf = (field: Field): Outcome["problems"] =>
      outcome.value?.problems.filter((each) => each.field === field) ?? [];
    return () =>
      h("div", { class: "playground" }, [
        toolbar(),
        h("p", { class: "visually-hidden", role: "status" }, status.value),
        h("div", { class: "columns" }, [
          h(
            "div",
            { class: "editors" },
            fields.map(([name, label, hint]) =>
              h(CodeField, {
                name,
                label,
                hint,
                text: program.value[name],
                problems: problemsOf(name),
                onEdit: (text: string) => edit(name, text),
              }),
            ),
          ),
          h("div", { class: "results" }, resultsOf(outcome.value)),
        ]),
        h("iframe", { ref: frame, sandbox: "allow-scripts", title: "Sandbox", hidden: true }),
      ]);
  },
});

function resultsOf(outcome: Outcome | undefined): VNode[] {
  if (outcome === undefined) return [h("p", { class: "summary" }, "Loading …")];
  const { plan, cost, rows } = outcome;
  return [
    plan === undefined
      ? h("section", { class: "plan" }, [
          h("h2", "No plan"),
          h("p", { class: "summary" }, "See the marked field."),
        ])
      : planView(plan, cost),
    rowsView(rows),
  ];
}
