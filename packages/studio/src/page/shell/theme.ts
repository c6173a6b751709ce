/** How the page looks: as the system does, or as somebody chose. */
export type Theme = "system" | "light" | "dark";

const storedAs = "partita-studio-theme";

export const chosenTheme = (): Theme => {
  const stored = localStorage.getItem(storedAs);
  return stored === "light" || stored === "dark" ? stored : "system";
};

/** Shows the page in a theme, and remembers it. */
export function applyTheme(theme: Theme = chosenTheme()): void {
  localStorage.setItem(storedAs, theme);
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}
