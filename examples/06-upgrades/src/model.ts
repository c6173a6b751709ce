// The input of `partita upgrade`: the classes of the current release.
export { Blog } from "./versions.ts";
