/** Vite adds style sheets to the page. */
declare module "*.css";
