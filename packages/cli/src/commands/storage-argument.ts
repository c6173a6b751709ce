/** What help says of arguments that several commands take. */
export const storageHelp = "file:path.db, a connection string, or the name of one in partita.config.json";
export const moduleHelp = "A compiled module that exports entity classes.";
