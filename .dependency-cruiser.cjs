const core = "^packages/core/src/";
/** The front doors of core. */
const entries =
  "(index|keys|models|upgrades|storage|observe|rest|protocol|internal(-azure|-embedded|-sql|-jobs|-planner)?)\\.ts";

/** The wings of core, top to bottom: each imports only from those below it. `model/` and `stores/` do not know each other. */
const wings = ["work", "query", "model", "stores", "storage", "values"];
/** The rooms of each wing, top to bottom. */
const rooms = {
  work: ["context", "save", "recovery", "unit-of-work", "scope"],
  query: ["run", "plan", "build", "options"],
  model: ["schema", "codec", "declaration", "upgrade"],
  values: ["filter", "keys", "edm", "options", "errors"],
};

/**
 * A folder's parts, top to bottom, as rules: none imports from a part above it, and only the top one from the folder's own
 * `files`.
 */
const importDown = (folder, name, parts, files) =>
  parts.slice(1).map((part, i) => ({
    name: `${name}-${part}-imports-down`,
    severity: "error",
    from: { path: `${folder}${part}/` },
    to: { path: `${folder}(${[files, ...parts.slice(0, i + 1).map((above) => `${above}/`)].join("|")})` },
  }));
const filesOfFolder = "[^/]+$";

/** The rooms of packages/maintenance/src, top to bottom. */
const maintenanceRooms = ["indexes", "upgrades", "database", "survey", "jobs"];
/** The rooms of packages/workflows/src, top to bottom. */
const workflowRooms = ["worker", "outbox", "runs", "tasks", "delivery", "messages", "errors"];
/** The rooms of packages/server/src, top to bottom. Services do not import each other. */
const serverRooms = ["tables", "queues", "blobs", "http", "settings", "authorization", "wire"];
/** The rooms of packages/postgres/src, top to bottom. */
const postgresRooms = ["schema", "pages", "rows", "connection"];
/** The rooms of packages/files/src, top to bottom. */
const fileRooms = ["reclaim", "file", "versions", "blocks", "store", "rows", "paths", "errors"];

module.exports = {
  forbidden: [
    ...importDown(core, "core", wings, entries),
    {
      name: "stores-know-rows-only",
      severity: "error",
      from: { path: `${core}stores/` },
      to: { path: `${core}model/` },
    },
    ...Object.entries(rooms).flatMap(([wing, parts]) =>
      importDown(`${core}${wing}/`, wing, parts, filesOfFolder),
    ),
    ...importDown("^packages/queues/src/", "queues", ["tables", "azure", "port"], "(index|open-queues)\\.ts"),
    ...importDown(
      "^packages/maintenance/src/",
      "maintenance",
      maintenanceRooms,
      "(index|internal|sweep-markers|verify-database|repair-database|compact-database)\\.ts",
    ),
    ...importDown("^packages/patterns/src/", "patterns", ["patterns", "load"], "(index|analyze-keys)\\.ts"),
    ...importDown("^packages/workflows/src/", "workflows", workflowRooms, "index\\.ts"),
    ...importDown("^packages/server/src/", "server", serverRooms, "index\\.ts"),
    {
      name: "services-stand-alone",
      severity: "error",
      from: { path: "^packages/server/src/(tables|queues|blobs)/" },
      to: { path: "^packages/server/src/(tables|queues|blobs)/", pathNot: "^packages/server/src/$1/" },
    },
    ...importDown(
      "^packages/postgres/src/",
      "postgres",
      postgresRooms,
      "(index|open-postgres|postgres-options|postgres-storage)\\.ts",
    ),
    ...importDown("^packages/files/src/", "files", fileRooms, "(index|table-files)\\.ts"),
    {
      name: "eslint-plugin-stands-alone",
      severity: "error",
      from: { path: "^packages/eslint-plugin/src/" },
      to: { pathNot: "^packages/eslint-plugin/src/" },
    },
    { name: "no-circular", severity: "error", from: {}, to: { circular: true } },
    {
      name: "core-stands-alone",
      severity: "error",
      from: { path: "^packages/core/src/" },
      to: { path: "^packages/(?!core/)" },
    },
    {
      name: "front-door",
      severity: "error",
      from: { path: "^packages/(?!core/)[^/]+/src/" },
      to: {
        path: `${core}(?!${entries})`,
      },
    },
    {
      name: "front-door-of-others",
      severity: "error",
      from: { path: "^(packages/[^/]+|examples|tools)/" },
      to: {
        path: "^packages/(?!core/)[^/]+/src/(?!(index|internal|protocol|class-validator|arbitraries)\\.ts)",
        pathNot: "^$1/",
      },
    },
    {
      name: "studio-page-asks-the-server",
      comment: "The page and the server share the types of the API alone.",
      severity: "error",
      from: { path: "^packages/studio/src/(page|api)/" },
      to: { path: "^packages/studio/src/server/|^packages/(?!studio)" },
    },
    {
      name: "studio-server-serves-the-page",
      severity: "error",
      from: { path: "^packages/studio/src/(server|api)/" },
      to: { path: "^packages/studio/src/page/" },
    },
    {
      name: "tests-are-their-own",
      comment: "What tests of several packages share is in tools/test-support.",
      severity: "error",
      from: { path: "^(packages|examples|tools)/([^/]+)/" },
      to: { path: "^(packages|examples|tools)/[^/]+/test/", pathNot: "^$1/$2/test/" },
    },
    {
      name: "testing-is-for-tests",
      comment: "Commands load it on demand, from the project they work on.",
      severity: "error",
      from: { path: "^packages/(?!testing/)[^/]+/src/" },
      to: { path: "^packages/testing/", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "tools-are-not-published",
      severity: "error",
      from: { path: "^packages/[^/]+/src/" },
      to: { path: "^tools/" },
    },
    {
      name: "cli-is-for-people",
      comment: "Nothing is built on the command, except the pages of its help.",
      severity: "error",
      from: { pathNot: "^packages/cli/" },
      to: { path: "^packages/cli/(?!src/internal\\.ts)" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "(^|/)(dist|temp|coverage)/" },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["@partita/source", "import", "types"],
      extensions: [".ts", ".js"],
    },
  },
};
