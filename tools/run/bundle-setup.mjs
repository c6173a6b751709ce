// Vitest runs this before tests that use the packages as they are published.
import { bundlePackages } from "./bundle-packages.mjs";

export const setup = () => bundlePackages();
