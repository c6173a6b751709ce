// Node does not have Symbol.metadata yet. Compilers pass a metadata object to standard decorators only if the
// symbol exists before the first decorated class. They fall back to this registered symbol themselves.
const symbols = Symbol as { metadata?: symbol };
symbols.metadata ??= Symbol.for("Symbol.metadata");

/** The property of a class that holds its decorator metadata. */
export const metadataKey: symbol = symbols.metadata;
