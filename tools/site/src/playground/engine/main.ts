// The script of the worker. It runs one program, and the frame ends it afterwards.

import type { Program } from "../program.ts";
import { provideDigest } from "./digest.ts";
import { runProgram } from "./run-program.ts";

provideDigest();
addEventListener("message", ({ data }: MessageEvent<Program>) => {
  postMessage("started");
  void runProgram(data).then((outcome) => postMessage(outcome));
});
