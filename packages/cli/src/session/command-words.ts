/** What is said at a command line, in place of the calls of a program that the core's messages name. */
const remedies: Readonly<Record<string, ((message: string) => string) | undefined>> = {
  "storage.table-not-found": (message) =>
    message.replace(
      /Create it with createTables.*? you mean\./,
      "partita tables prints those that are there.",
    ),
  // Before the link to the page of the error.
  "storage.entity-already-exists": (message) =>
    message.replace(/(?= See https:\S+$)|$/, " --mode merge or --mode replace writes over what is there."),
  "transfer.line": (message) => message.replace("{ onBadLine }", "--skip-bad"),
};

/** The message of an error of the core, with options of the command for calls of a program. */
export const inCommandWords = (code: string, message: string): string => remedies[code]?.(message) ?? message;
