// The theme without web fonts: a page loads nothing but its own files.
import type { Theme } from "vitepress";
import { defineAsyncComponent } from "vue";
import theme from "vitepress/theme-without-fonts";
import "./style.css";

export default {
  extends: theme,
  enhanceApp({ app }) {
    // Only its own page loads it.
    const load = async () => (await import("../../src/playground/page/playground.ts")).Playground;
    app.component("Playground", defineAsyncComponent(load));
  },
} satisfies Theme;
