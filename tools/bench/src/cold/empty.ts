import { finish } from "./finish.ts";

finish(20);
