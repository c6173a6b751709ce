/** A group of the sidebar. */
export interface Group {
  readonly title: string;
  /** Pages of the site, in order; `recipes/` stands for each page below it, its list first. */
  readonly paths: readonly string[];
  /** The group that this one is in. */
  readonly within?: string;
  /** Whether it begins folded. */
  readonly isFolded?: boolean;
  /** Whether it has many pages: they get their own sidebar, and the main sidebar shows only the first page. */
  readonly isApart?: boolean;
}

/** Shorter titles for the sidebar. */
export const shortTitles: Readonly<Record<string, string>> = {
  overview: "Overview",
  saving: "Saving",
  tracking: "Tracking",
  queries: "Queries and paging",
  "decorators-and-forms": "Decorators and other forms",
  server: "Servers",
  testing: "Testing",
  workflows: "Tasks and workflows",
  outbox: "The outbox",
  aggregates: "Owned lists",
  "page-ranges": "Page ranges",
  "commands/index": "Commands",
  "errors/index": "Errors",
  "recipes/index": "All recipes",
};

/** The guides by purpose: learn, do, understand, look up. A page that is not listed comes at the end, under "More". */
export const sidebarOrder: readonly Group[] = [
  {
    title: "Learn",
    paths: ["overview", "tutorial", "keys", "queries", "tracking", "saving", "decorators-and-forms"],
  },
  { title: "Examples", paths: ["examples/"], within: "Learn", isFolded: true },
  { title: "How-to", paths: ["connect", "protocol-options", "retries"] },
  { title: "Recipes", paths: ["recipes/"], within: "How-to", isFolded: true },
  {
    title: "Model",
    paths: ["kinds-and-versions", "indexes", "aggregates", "tenants", "releases"],
    within: "How-to",
  },
  {
    title: "Run",
    paths: [
      "http-apis",
      "testing",
      "toolchains",
      "observability",
      "server",
      "run-a-table-service",
      "command-line",
      "moving-data",
      "studio",
    ],
    within: "How-to",
  },
  {
    title: "More than tables",
    paths: ["workflows", "outbox", "simulation", "files", "page-ranges"],
    within: "How-to",
    isFolded: true,
  },
  {
    title: "Understand",
    paths: [
      "designing-tables",
      "playground",
      "lost-responses",
      "conflicts",
      "validation-and-hooks",
      "architecture",
    ],
  },
  { title: "Look up", paths: ["limits", "benchmarks", "benchmarks/measurements"] },
  { title: "Errors", paths: ["errors/"], within: "Look up", isApart: true },
  { title: "Commands", paths: ["commands/"], within: "Look up", isApart: true },
  {
    title: "Coming from",
    paths: [
      "coming-from/data-tables",
      "coming-from/azure-storage",
      "coming-from/data-service-context",
      "coming-from/prisma-and-mikro-orm",
    ],
  },
  { title: "Packages", paths: ["packages/"], isFolded: true },
  { title: "Project", paths: ["contributing", "security"], isFolded: true },
];
