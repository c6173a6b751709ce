#!/usr/bin/env node
import { runCommand } from "./run-command.ts";

// A module that was loaded may keep timers or connections of its own.
process.exit(await runCommand(process.argv.slice(2)));
