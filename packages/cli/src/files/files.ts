import { inSession } from "../session/session.ts";
import { openTarget } from "../storage/open-target.ts";
import type { FilesOptions, Verb, VerbName } from "./session.ts";

/** Each verb is loaded when it is called. */
const verbs: Readonly<Record<VerbName, () => Promise<Verb>>> = {
  ls: async () => (await import("./ls.ts")).ls,
  put: async () => (await import("./put.ts")).put,
  get: async () => (await import("./get.ts")).get,
  cat: async () => (await import("./read.ts")).cat,
  tail: async () => (await import("./read.ts")).tail,
  rm: async () => (await import("./change.ts")).rm,
  stat: async () => (await import("./stat.ts")).stat,
  mv: async () => (await import("./change.ts")).mv,
  cp: async () => (await import("./change.ts")).cp,
};

/** The state after a verb is stopped. */
const left: Partial<Record<VerbName, string>> = {
  put: "The unfinished file is not visible. An older version is unchanged.",
  get: "The unfinished local file was deleted. Complete files remain.",
  mv: "The file was not moved.",
  cp: "The unfinished copy is not visible. An older version is unchanged.",
};

/** `partita files`: works with stored files. Returns the exit code: 130 if it was stopped. */
export const files = (
  name: VerbName,
  [target = "", ...operands]: readonly string[],
  options: FilesOptions,
): Promise<number> =>
  inSession(
    async (session) => {
      const verb = await verbs[name]();
      const { tableFiles } = await import("@partita/files");
      // The first file creates the file system.
      await using storage = await openTarget(target, { mayCreate: name === "put" });
      return await verb(
        { ...session, files: tableFiles(storage, { name: options.name }) },
        operands,
        options,
      );
    },
    () => left[name] ?? "",
  );
