/** The address of the pages about error codes. `pnpm set-repository` writes it. */
const errorPages = "https://partita.example/errors/";

/** Ends a message with the link to the page of its code. If it quotes other errors' messages, their links are left out. */
export function withLink(message: string, code: string): string {
  const text = withoutLinks(message);
  return `${text}${/\w$/.test(text) ? "." : ""}${text.includes("\n") ? "\n" : " "}See ${errorPages}${code}`;
}

/** A message without links to pages of errors, such as for a list of many messages. */
export const withoutLinks = (message: string): string =>
  message.replaceAll(/\sSee https:\S+?\/errors\/[\w.-]+/g, "");
