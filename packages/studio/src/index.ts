export { startStudio, type Studio, type StudioOptions } from "./server/start-studio.ts";
export type { StudioCore } from "./server/core.ts";
