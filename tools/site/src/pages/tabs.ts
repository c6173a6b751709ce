/** A list of tabs in a guide. Other sites show each block of code after the line with its name. */
const tabs = /^<!-- tabs -->\n([\s\S]*?)^<!-- \/tabs -->$/gm;
const tab = /^\*\*([^*\n]+)\*\*\n\n(?:<!--[^\n]*-->\n\n)?```(\w+)\n([\s\S]*?)^```\n/gm;

/**
 * Converts the text between `<!-- tabs -->` and `<!-- /tabs -->` to VitePress's code groups: bold names, each
 * followed by one block of code.
 *
 * @param source - the guide, for the error
 * @throws {Error} if there is anything else between them
 */
export function withCodeGroups(text: string, source: string): string {
  return text.replaceAll(tabs, (whole, inside: string) => {
    const other = inside.replaceAll(tab, "").trim();
    if (other !== "" || inside.trim() === "")
      throw new Error(
        `${source}: tabs must contain bold names with one block of code each, not: ${other || whole}`,
      );
    const blocks = Array.from(
      inside.matchAll(tab),
      ([, name, language, code]) => `\`\`\`${language} [${name}]\n${code}\`\`\`\n`,
    );
    return `::: code-group\n\n${blocks.join("\n")}\n:::`;
  });
}
