import { h, type VNode } from "vue";
import type { Cost, ShownPlan, ShownRequest } from "../program.ts";

/** Requests that are shown at first. */
const shownAtFirst = 3;

/** The plan of a query: its rating, its requests, and their cost over the sample rows. */
export function planView(plan: ShownPlan, cost: Cost | undefined): VNode {
  const { rating, type, requests, requestCount, index, advice, line } = plan;
  // A request has a type of its own where it differs.
  const hasTypes = requests.some((request) => request.type !== type);
  const more = requests.slice(shownAtFirst);
  return h("section", { class: "plan", "aria-label": "Plan" }, [
    h("h2", [
      h("span", { class: ["rating", rating] }, rating),
      ` ${sentenceStart(type)}${index === undefined ? "" : ` of index ${index}`}`,
    ]),
    h("p", { class: "summary" }, summaryOf(plan, cost)),
    advice.map((sentence) => h("p", { class: "advice" }, sentence)),
    requestsView(requests.slice(0, shownAtFirst), hasTypes),
    more.length === 0
      ? undefined
      : h("details", [
          h("summary", moreOf(requestCount - shownAtFirst, more.length)),
          requestsView(more, hasTypes),
        ]),
    h("details", [h("summary", "explain()"), h("p", { class: "line" }, line)]),
  ]);
}

/** The requests and rows of the query, in one sentence. */
export function summaryOf({ requestCount, partitions }: ShownPlan, cost: Cost | undefined): string {
  const places =
    partitions === undefined ? "an unknown number of partitions" : counted(partitions, "partition");
  if (cost === undefined) return `${counted(requestCount, "request")} to ${places}. The query was not run.`;
  return `${counted(cost.requests, "request")} to ${places}: reads ${counted(cost.read, "stored row")}, returns ${cost.returned}.`;
}

const moreOf = (count: number, shown: number): string =>
  counted(count, "more request") + (shown < count ? `, of which ${shown} are shown` : "");

const requestsView = (requests: readonly ShownRequest[], hasTypes: boolean): VNode =>
  h(
    "ul",
    { class: "requests" },
    requests.map(({ type, keys, filter, client }) =>
      h("li", [
        h("dl", [
          ...(hasTypes ? [h("dt", "Type"), h("dd", type)] : []),
          ...part("Keys", keys ?? "the complete table"),
          ...part("Filter", filter),
          ...part("On the client", client),
        ]),
      ]),
    ),
  );

const part = (name: string, text: string | undefined): VNode[] =>
  text === undefined ? [] : [h("dt", name), h("dd", h("code", text))];

const sentenceStart = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** `1 row`, `2 rows`. */
export const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;
