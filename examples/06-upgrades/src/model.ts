// What `partita upgrade` is given: the classes of the present release.
export { Blog } from "./versions.ts";
