// Loaded when a document is read. A bundler takes only the parser through it; through `import("fast-xml-parser")` it would take the
// package's builder and validators too, as part of every program that opens a service.
export { XMLParser } from "fast-xml-parser";
