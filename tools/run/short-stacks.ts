// Vitest asks for stacks of 100 calls. Laws and faults make errors by the thousand, and most of their time went into stacks.
Error.stackTraceLimit = 10;
