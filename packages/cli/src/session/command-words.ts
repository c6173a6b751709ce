/** The remedy if a table already has rows. */
export const existingAdvice: string =
  "With --existing replace, rows with the same keys are overwritten. With merge, only the properties of the new rows are written. With skip, such rows are left unchanged.";

const existingWords = (message: string): string =>
  message.replace(/Set \{ existing \}.*? unchanged\./, existingAdvice);

/** Remedies on the command line, instead of the API calls in the core's messages. */
const remedies: Readonly<Record<string, ((message: string) => string) | undefined>> = {
  "storage.table-not-found": (message) =>
    message.replace(
      /Create it with createTables.*? you mean\./,
      "partita tables prints the existing tables.",
    ),
  "storage.damaged": (message) =>
    message.replace(
      "Restore it from a backup;",
      "Restore it from a backup, or copy its intact rows with partita verify --repair;",
    ),
  // Before the link to the page of the error.
  "storage.entity-already-exists": (message) =>
    message.replace(/(?= See https:\S+$)|$/, " --mode merge or --mode replace overwrites the row."),
  "transfer.option": (message) => message.replace(/^\w+\(storage, table\) takes a/, "The table needs a"),
  "transfer.already-copied": existingWords,
  "transfer.row-exists": existingWords,
  "transfer.table-not-empty": existingWords,
  "transfer.types": (message) =>
    message
      .replace(
        'Set { types } to "infer" to import these types, to "text"',
        "Add --types infer to import these types, --types text",
      )
      .replace("or to the classes", "or --types module.js with the compiled classes"),
  "transfer.line": (message) =>
    message.replace("{ onBadLine }", "--skip-bad").replace("other { types }", "other --types"),
};

/** The message of an error of the core, with options of the command instead of API calls. */
export const inCommandWords = (code: string, message: string): string => remedies[code]?.(message) ?? message;
