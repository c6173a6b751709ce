/** A group of the sidebar. */
export interface Group {
  readonly title: string;
  /** Pages of the site, in order; `commands/` stands for each page below it. */
  readonly paths: readonly string[];
}

/** What the sidebar calls a page whose own title is long, or says little beside others. */
export const shortTitles: Readonly<Record<string, string>> = {
  overview: "Overview",
  server: "Servers",
  testing: "Testing",
  workflows: "Tasks and workflows",
  outbox: "The outbox",
  aggregates: "Owned lists",
  "page-ranges": "Page ranges",
};

/** The guides in the order in which a newcomer needs them. A page that is not listed comes at the end, under "More". */
export const sidebarOrder: readonly Group[] = [
  { title: "Begin", paths: ["overview", "tutorial", "decorators-and-forms", "cookbook"] },
  {
    title: "Tables and entities",
    paths: [
      "keys-and-queries",
      "unit-of-work",
      "lost-responses",
      "kinds-and-versions",
      "releases",
      "aggregates",
      "tenants",
      "indexes",
      "http-apis",
      "designing-tables",
    ],
  },
  {
    title: "Running it",
    paths: [
      "services-and-failure",
      "server",
      "testing",
      "command-line",
      "moving-data",
      "observability",
      "studio",
      "toolchains",
      "limits",
    ],
  },
  {
    title: "Beside tables",
    paths: ["workflows", "outbox", "simulation", "files", "page-ranges"],
  },
  {
    title: "Coming from",
    paths: [
      "coming-from/data-tables",
      "coming-from/azure-storage",
      "coming-from/data-service-context",
      "coming-from/prisma-and-mikro-orm",
    ],
  },
  { title: "Commands", paths: ["commands/"] },
  { title: "Examples", paths: ["examples/"] },
  { title: "Packages", paths: ["packages/"] },
  { title: "Project", paths: ["benchmarks", "architecture", "contributing", "security"] },
];
