/** A list of tabs in a guide: on other sites, each block of code simply follows the line that names it. */
const tabs = /^<!-- tabs -->\n([\s\S]*?)^<!-- \/tabs -->$/gm;
const tab = /^\*\*([^*\n]+)\*\*\n\n(?:<!--[^\n]*-->\n\n)?```(\w+)\n([\s\S]*?)^```\n/gm;

/**
 * Makes VitePress's code groups of what stands between `<!-- tabs -->` and `<!-- /tabs -->`: bold names, each with one
 * block of code behind it.
 *
 * @param source - the guide, for the error
 * @throws {Error} when there is anything else between them
 */
export function withCodeGroups(text: string, source: string): string {
  return text.replaceAll(tabs, (whole, inside: string) => {
    const other = inside.replaceAll(tab, "").trim();
    if (other !== "" || inside.trim() === "")
      throw new Error(`${source}: tabs hold bold names with one block of code each, not: ${other || whole}`);
    const blocks = Array.from(
      inside.matchAll(tab),
      ([, name, language, code]) => `\`\`\`${language} [${name}]\n${code}\`\`\`\n`,
    );
    return `::: code-group\n\n${blocks.join("\n")}\n:::`;
  });
}
