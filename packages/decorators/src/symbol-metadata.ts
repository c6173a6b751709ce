// Node has no Symbol.metadata yet, and compilers give standard decorators a metadata object only where it exists
// before the first decorated class. They fall back to this registered symbol themselves.
const symbols = Symbol as { metadata?: symbol };
symbols.metadata ??= Symbol.for("Symbol.metadata");

/** Where a class has its decorator metadata. */
export const metadataKey: symbol = symbols.metadata;
