import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useStudio } from "../state/studio-context.ts";
import { applyTheme, chosenTheme, type Theme } from "./theme.ts";

/** The storage, the staged changes, and the theme. */
export function TopBar(): JSX.Element {
  const studio = useStudio();
  const info = studio.info.value;
  const count = studio.staged.value.length;
  return (
    <header class="top-bar">
      <h1 class="brand">
        <svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true">
          <path d="M2 4h14M2 9h14M2 14h9" />
        </svg>
        Partita Studio
      </h1>
      <span class="storage" title={info?.description}>
        {info?.description}
      </span>
      {info?.isReadOnly === true && <span class="badge">read-only</span>}
      <span class="space" />
      {info?.isReadOnly === false && (
        <button
          type="button"
          class={count > 0 ? "staged-button has-changes" : "staged-button"}
          aria-pressed={studio.panel.value?.type === "staged"}
          onClick={() => studio.show(studio.panel.value?.type === "staged" ? undefined : { type: "staged" })}
        >
          Staged <span class="count">{count}</span>
        </button>
      )}
      <ThemeChoice />
    </header>
  );
}

function ThemeChoice(): JSX.Element {
  const [theme, setTheme] = useState<Theme>(chosenTheme);
  return (
    <select
      class="theme"
      aria-label="Theme"
      value={theme}
      onChange={({ currentTarget }) => {
        const chosen = currentTarget.value as Theme;
        applyTheme(chosen);
        setTheme(chosen);
      }}
    >
      <option value="system">System</option>
      <option value="light">Light</option>
      <option value="dark">Dark</option>
    </select>
  );
}
