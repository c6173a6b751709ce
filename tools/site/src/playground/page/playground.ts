import { useData } from "vitepress";
import { computed, defineComponent, h, ref, type VNode } from "vue";
import type { Example } from "../examples.ts";
import type { Field, Outcome, Problem } from "../program.ts";
import { CodeField } from "./code-field.ts";
import { planView, summaryOf } from "./plan-view.ts";
import { rowsView } from "./rows-view.ts";
import { type ProgramState, useProgram } from "./use-program.ts";
import "./playground.css";

const fields: readonly (readonly [Field, label: string, hint: string])[] = [
  ["model", "Model", "classes in JavaScript, by defineEntity"],
  ["query", "Query", "ends with a query"],
  ["rows", "Sample rows", "JSON or a JavaScript expression"],
];

/** The playground: fields for a program, and its results. */
export const Playground = defineComponent({
  setup() {
    const examples = useData().frontmatter.value["examples"] as readonly [Example, ...Example[]];
    const frame = ref<HTMLIFrameElement>();
    const state = useProgram(examples, frame);
    const { program, outcome, edit } = state;
    const status = computed(() => statusOf(outcome.value));
    const problemsOf = (field: Field): Problem[] =>
      outcome.value?.problems.filter((each) => each.field === field) ?? [];
    return () =>
      h("div", { class: "playground" }, [
        toolbar(examples, state),
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

const toolbar = (examples: readonly Example[], { chosen, message, choose, copyLink }: ProgramState): VNode =>
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

/** The results in one sentence, for screen readers. */
function statusOf(outcome: Outcome | undefined): string {
  if (outcome === undefined) return "";
  const { plan, cost, problems } = outcome;
  const [first] = problems;
  if (first !== undefined) return `Problem in ${first.field}: ${first.message}`;
  return plan === undefined ? "" : `Plan: ${plan.type}, ${plan.rating}. ${summaryOf(plan, cost)}`;
}

function resultsOf(outcome: Outcome | undefined): VNode[] {
  if (outcome === undefined) return [h("p", { class: "summary" }, "Loading …")];
  const { plan, cost, rows } = outcome;
  const noPlan = [h("h2", "No plan"), h("p", { class: "summary" }, "See the marked field.")];
  return [
    plan === undefined ? h("section", { class: "plan" }, noPlan) : planView(plan, cost),
    rowsView(rows),
  ];
}
