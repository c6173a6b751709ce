// The layer order of packages/core/src, top to bottom: a folder imports only from folders below it.
const layers = [
  "patterns",
  "context",
  "transfer",
  "maintenance",
  "save",
  "recovery",
  "query",
  "observe",
  "unit-of-work",
  "schema",
  "codec",
  "model",
  "upgrade",
  "storage",
  "filter",
  "keys",
  "edm",
  "options",
  "errors",
];
const core = "^packages/core/src/";

/** What knows entities: storages know rows only. */
const aboveStorage = layers.slice(0, layers.indexOf("storage"));
/** The rooms of a query, top to bottom. */
const queryRooms = ["run", "plan", "build", "options"];

const noUpward = layers.slice(1).map((layer, i) => ({
  name: `${layer}-imports-down`,
  severity: "error",
  from: { path: `${core}${layer}/` },
  to: {
    path: `${core}((index|keys|upgrades|rest|protocol|models|patterns|queues|blobs|transfer)\\.ts|adapters/|(${layers.slice(0, i + 1).join("|")})/)`,
  },
}));

/** The rooms of packages/workflows/src, top to bottom. */
const workflowRooms = ["worker", "outbox", "runs", "tasks", "delivery", "messages", "errors"];
/** The rooms of packages/server/src, top to bottom. Services do not import each other. */
const serverRooms = ["tables", "queues", "blobs", "http", "settings", "authorization", "wire"];
/** The rooms of packages/files/src, top to bottom. */
const fileRooms = ["reclaim", "file", "versions", "blocks", "store", "rows", "paths", "errors"];

module.exports = {
  forbidden: [
    ...noUpward,
    ...queryRooms.slice(1).map((room, i) => ({
      name: `query-${room}-imports-down`,
      severity: "error",
      from: { path: `${core}query/${room}/` },
      to: { path: `${core}query/([^/]+$|(${queryRooms.slice(0, i + 1).join("|")})/)` },
    })),
    ...workflowRooms.slice(1).map((room, i) => ({
      name: `workflows-${room}-imports-down`,
      severity: "error",
      from: { path: `^packages/workflows/src/${room}/` },
      to: { path: `^packages/workflows/src/(index\\.ts|(${workflowRooms.slice(0, i + 1).join("|")})/)` },
    })),
    ...serverRooms.slice(1).map((room, i) => ({
      name: `server-${room}-imports-down`,
      severity: "error",
      from: { path: `^packages/server/src/${room}/` },
      to: { path: `^packages/server/src/(index\\.ts|(${serverRooms.slice(0, i + 1).join("|")})/)` },
    })),
    {
      name: "services-stand-alone",
      severity: "error",
      from: { path: "^packages/server/src/(tables|queues|blobs)/" },
      to: { path: "^packages/server/src/(tables|queues|blobs)/", pathNot: "^packages/server/src/$1/" },
    },
    ...fileRooms.slice(1).map((room, i) => ({
      name: `files-${room}-imports-down`,
      severity: "error",
      from: { path: `^packages/files/src/${room}/` },
      to: { path: `^packages/files/src/((index|open-files)\\.ts|(${fileRooms.slice(0, i + 1).join("|")})/)` },
    })),
    {
      name: "adapters-implement-storage",
      severity: "error",
      from: { path: `${core}adapters/` },
      to: {
        path: `${core}((index|keys|upgrades|rest|protocol|models|patterns|queues|blobs|transfer)\\.ts|(${aboveStorage.join("|")})/)`,
      },
    },
    {
      name: "lint-stands-alone",
      severity: "error",
      from: { path: `${core}lint(\\.ts|/)` },
      to: { pathNot: `${core}lint/` },
    },
    {
      name: "lint-is-for-linters",
      severity: "error",
      from: { path: `${core}(?!lint)` },
      to: { path: `${core}lint(\\.ts|/)` },
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
      from: { path: "^packages/(?!core/)[^/]+/src" },
      to: {
        path: `${core}(?!(index|keys|upgrades|rest|protocol|models|patterns|queues|blobs|transfer)\\.ts)`,
      },
    },
    {
      name: "front-door-of-others",
      severity: "error",
      from: { path: "^(packages/[^/]+|examples|tools)/" },
      to: {
        path: "^packages/(?!core/)[^/]+/src/(?!(index|class-validator|arbitraries)\\.ts)",
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
      comment: "Nothing is built on the command.",
      severity: "error",
      from: { pathNot: "^packages/cli/" },
      to: { path: "^packages/cli/" },
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
