import { inSession } from "../session/session.ts";
import { openTarget } from "../storage/open-target.ts";
import type { FilesOptions, Verb, VerbName } from "./session.ts";

/** Each is loaded when it is called. */
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

/** What is left if a verb is stopped. */
const left: Partial<Record<VerbName, string>> = {
  put: "What was being written is not seen: an older version stays as it was.",
  get: "What was being read is not there: only whole files are.",
  mv: "The file is still where it was.",
  cp: "What was being written is not seen: an older version stays as it was.",
};

/** `partita files`: works with stored files. Returns the exit code: 130 when it was stopped. */
export const files = (
  name: VerbName,
  [target = "", ...operands]: readonly string[],
  options: FilesOptions,
): Promise<number> =>
  inSession(
    async (session) => {
      const verb = await verbs[name]();
      const { tableFiles } = await import("@partita/files");
      // The first file makes the file system.
      await using storage = await openTarget(target, { mayCreate: name === "put" });
      return await verb(
        { ...session, files: tableFiles(storage, { name: options.name }) },
        operands,
        options,
      );
    },
    () => left[name] ?? "",
  );
