#!/usr/bin/env node
import { runCommand } from "./run-command.ts";

// A loaded module may have open timers or connections.
process.exit(await runCommand(process.argv.slice(2)));
