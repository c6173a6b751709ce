import type { AreaPages } from "../error-page.ts";

export const toolPages: AreaPages = {
  "diff.no-class": {
    cause: "`partita diff` found a row and no class of your module that reads its table or kind.",
    remedy: "Export the class of these rows from the module, or leave their table out of the comparison.",
    needs: "the command line",
    example: `
// partita diff dist/models.js "$CONNECTION_STRING"
export { Blog } from "./blog.ts";`,
  },
  "diff.undeclared": {
    cause: "`partita diff` found a row with properties that its class does not declare.",
    remedy: "Declare the properties. A save that replaces the row would lose them.",
    needs: "the command line",
    example: `
@Table("Blogs")
class Blog {
  @PartitionKey() channel!: Key<string>;
  @RowKey() slug!: Key<string>;
  @Text() title!: string;
  @Text({ optional: true }) author?: string; // was not declared
}`,
  },
  "log.option": {
    cause:
      "The log of activity got an option that it does not take, or the environment variable for it has a wrong value.",
    remedy: "Use a name and a value from the message.",
    example: `
await logActivity({ level: "verbose" } as never);`,
  },
  "maintenance.option": {
    cause: "A job of `@partita/maintenance` got an option that it does not take.",
    remedy: "Use a name and a value from the message.",
    example: `
await upgradeTable(storage, [Blog], { concurency: 4 } as never);`,
  },
  "package.second-copy": {
    cause:
      "An object comes from another copy of `@partita/core` in an incompatible version. Both copies are installed in this program.",
    remedy:
      "Install one version for all packages. `npm ls @partita/core` shows the copies and the packages that need them.",
    needs: "two versions of the package",
    example: `
// npm ls @partita/core
// npm update @partita/core @partita/decorators`,
  },
  "release.option": {
    cause: "`checkRelease()` got an option that it does not take.",
    remedy: "Use a name and a value from the message.",
    example: `
await checkRelease([Blog], [Blog], { value: {} } as never);`,
  },
  "schema.option": {
    cause: "`jsonSchema()` or `inputSchema()` got an option that it does not take.",
    remedy: "Use a name and a value from the message.",
    example: `
inputSchema(Blog, { for: "update" as never });`,
  },
  "server.option": {
    cause:
      "A server got an option that it does not take, or a host that other machines can reach without TLS.",
    remedy: "Use a name and a value from the message. For other machines, add `tls` with a certificate.",
    example: `
await startTableServer({ host: "0.0.0.0" });`,
  },
  "simulation.option": {
    cause: "A scenario or a simulation got an option that it does not take.",
    remedy: "Use a name and a value from the message.",
    example: `
await simulate(scenario({ classes: [Blog], actors: { reader: () => undefined }, check: () => true }), {
  seed: 1,
} as never);`,
  },
  "simulation.storage": {
    cause: "The storage of a simulation could not be opened or prepared. The message quotes the reason.",
    remedy: "Correct the function `storage` or `setup`.",
    example: `
await simulate(scenario({ classes: [Blog], actors: { reader: () => undefined }, check: () => true }), {
  seeds: 1,
  storage: () => {
    throw new Error("No storage today.");
  },
});`,
  },
  "simulation.stuck": {
    cause:
      "An actor waits for something that the simulation does not control, such as a socket, a file, a worker thread, or a promise of another actor.",
    remedy:
      "Let actors wait only for requests of their storage and for time. Replace other work in the scenario.",
    needs: "a minute of waiting",
    example: `
const reading = scenario({
  classes: [Blog],
  actors: {
    async reader({ context }) {
      await context.query(Blog).where({ channel: "news" }).toArray(); // not fetch("https://…")
    },
  },
  check: () => true,
});`,
  },
  "simulation.violation": {
    cause:
      "A check failed in a run of the simulation. The message has the seed and the shortest history that was found.",
    remedy:
      "Read the history, correct the code of the actors, and run `simulate()` with the same seed again.",
    example: `
const counting = scenario({
  classes: [Blog],
  setup: (inner) => void inner.create(Blog, { ...key, title: "Hello" }),
  actors: {
    async reader({ context: own }) {
      const found = await own.find(Blog, key);
      if (found !== undefined) found.rating += 1;
      await own.saveChanges();
    },
  },
  check: invariant(Blog, (blogs) => blogs.every(({ rating }) => rating === 0)), // it changes
});
await simulate(counting, { seeds: 1, maxShrinks: 10 });`,
  },
  "stress.load": {
    cause: "A load of a stress test failed before the first step, when it ran alone.",
    remedy: "Correct the load. Read the quoted error and its `cause`.",
    example: `
await stressPartition(storage, Blog, {
  partition: { channel: "news" },
  load: [{ share: 1, run: () => Promise.reject(new Error("Not today.")) }],
  seconds: 1,
});`,
  },
  "stress.no-entities": {
    cause:
      "The load of a stress test neither returned nor wrote an entity of the partition, so there is nothing to measure.",
    remedy: "Store in `setup` what the queries of the load find.",
    example: `
await stressPartition(storage, Blog, {
  partition: { channel: "news" },
  load: [{ share: 1, run: (own) => own.query(Blog).where({ channel: "news" }).toArray() }],
  seconds: 1,
});`,
  },
  "stress.option": {
    cause: "`stressPartition()` got an option that it does not take.",
    remedy: "Use a name and a value from the message.",
    example: `
await stressPartition(storage, Blog, { partition: { channel: "news" }, load: [], seconds: 0 });`,
  },
  "stress.partition": {
    cause: "The load of a stress test reads or writes another partition than the one under test.",
    remedy: "Give both the same key values.",
    example: `
await stressPartition(storage, Blog, {
  partition: { channel: "news" },
  load: [
    {
      share: 1,
      run: async (own, no) => {
        own.create(Blog, { channel: "sport", slug: String(no), title: "Goal" });
        await own.saveChanges();
      },
    },
  ],
  seconds: 1,
});`,
  },
};

const inBrowser = "a browser with the page of the studio";
const studio = `
const studio = await startStudio({ core: await import("@partita/core"), storage, classes: [Blog] });
console.log(studio.url); // open this address`;

export const studioPages: AreaPages = {
  "query.scan": {
    cause: "A query in the studio would read a whole table.",
    remedy: "Compare the PartitionKey, or allow the scan in the dialog.",
    needs: inBrowser,
    example: studio,
  },
  "studio.body-too-large": {
    cause: "The studio's server refused a request of more than 8 MiB.",
    remedy: "Change fewer rows at a time, or import them from a file.",
    needs: inBrowser,
    example: studio,
  },
  "studio.changed": {
    cause:
      "During an export of CSV, another program wrote a property that no row had before. The file has no column for it.",
    remedy: "Export again, or export JSON, which needs no columns.",
    needs: inBrowser,
    example: studio,
  },
  "studio.failed": {
    cause: "A request of the studio failed with an error that has no code. The page shows its message.",
    remedy: "Read the message. If it does not help, please report a bug.",
    needs: inBrowser,
    example: studio,
  },
  "studio.foreign-host": {
    cause:
      "A request reached the studio under another host name than `localhost` or `127.0.0.1`. The studio refuses it to protect your data.",
    remedy:
      "Open the address that `partita studio` printed. To reach a remote studio, forward its port with `ssh -L`.",
    needs: inBrowser,
    example: studio,
  },
  "studio.foreign-origin": {
    cause:
      "The page of another site sent a request to the studio. The studio refuses it to protect your data.",
    remedy: "Use the page of the studio itself.",
    needs: inBrowser,
    example: studio,
  },
  "studio.method": {
    cause: "A program sent a request to the studio's page that only reads files, such as a POST.",
    remedy: "Use the page of the studio. Its API is not for other programs.",
    needs: inBrowser,
    example: studio,
  },
  "studio.no-token": {
    cause: "A request to the studio has no token, or an old one. Each start of the studio has a new token.",
    remedy: "Open the address that `partita studio` printed last.",
    needs: inBrowser,
    example: studio,
  },
  "studio.not-found": {
    cause:
      "The studio has no such page, table, row or job. The row may have been removed, or the studio was restarted.",
    remedy: "Reload the page.",
    needs: inBrowser,
    example: studio,
  },
  "studio.not-json": {
    cause: "A program sent a request to the studio that is not JSON.",
    remedy: "Use the page of the studio. Its API is not for other programs.",
    needs: inBrowser,
    example: studio,
  },
  "studio.read-again": {
    cause: "The row was read again after you opened the form, so the form shows older values.",
    remedy: "Open the row again to see what is stored, then make your change.",
    needs: inBrowser,
    example: studio,
  },
  "studio.read-only": {
    cause: "You tried to change something in a studio that was opened read-only.",
    remedy: "Start the studio without `--read-only`.",
    needs: inBrowser,
    example: studio,
  },
  "studio.wrong-input": {
    cause: "The studio got a value that it cannot use, such as a text that is no number.",
    remedy: "Correct the value as the message says.",
    needs: inBrowser,
    example: studio,
  },
};
