import { vi } from "vitest";
import { describeCents } from "./cents-cases.ts";

vi.mock("../../../src/edm/compile-text.ts", () => ({ compileText: (): undefined => undefined }));

describeCents("loops");
