/** The colours of the page: those of the system, or the user's choice. */
export type Theme = "system" | "light" | "dark";

const storedAs = "partita-studio-theme";

export const chosenTheme = (): Theme => {
  const stored = localStorage.getItem(storedAs);
  return stored === "light" || stored === "dark" ? stored : "system";
};

/** Applies a theme and stores the choice. */
export function applyTheme(theme: Theme = chosenTheme()): void {
  localStorage.setItem(storedAs, theme);
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}
