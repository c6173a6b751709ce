/** The address of the pages about error codes. `pnpm set-repository` writes it. */
const errorPages = "https://partita.example/errors/";

/** Ends a message with the link to the page of its code. If it quotes other errors' messages, their links are left out. */
export const withLink = (message: string, code: string): string =>
  `${withoutLinks(message)} See ${errorPages}${code}`;

/** A text without the links of error messages in it, such as for a list of many. */
export const withoutLinks = (text: string): string =>
  text.replaceAll(/ See https:\S+?\/errors\/[\w.-]+/g, "");
