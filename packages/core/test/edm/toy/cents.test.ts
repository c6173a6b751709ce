import { describeCents } from "./cents-cases.ts";

describeCents("compiled code");
