import { createTables, defineEntity, int32, openStorage, TableContext, text } from "../../../packages/core/src/index.ts";
class Note extends defineEntity({ table: "Notes", partitionKey: { book: text() }, rowKey: { id: text() },
  properties: { title: text(), pages: int32(), a: text(), b: int32() } }) {}
const total = Number(process.argv[2] ?? 1_000_000);
const storage = await openStorage("memory:");
await createTables(storage, [Note]);
const w = new TableContext(storage);
for (let i = 0; i < 10; i++) w.create(Note, { book: "s", id: String(i), title: "t", pages: 0, a: "a", b: 1 });
await w.saveChanges();
const median = (xs: number[]) => xs.toSorted((a, b) => a - b)[xs.length >> 1];
for (const tracking of ["automatic", "explicit"] as const) {
  const context = new TableContext(storage, { tracking });
  const notes = await context.query(Note).where({ book: "s" }).toArray();
  const rest: Note[] = [];
  for (let i = 0; i < total; i++) { const n = Note.name ? new Note({ book: "x", id: String(i), title: "t" + (i % 7), pages: i, a: "a", b: 1 }) : undefined as never; context.attach(n, 'W/"datetime\'x\'"'); rest.push(n); }
  const note = notes[0]!;
  const time: number[] = [];
  for (let i = 0; i < 200; i++) {
    note.pages++; const t = performance.now();
    if (tracking === "explicit") { context.update(note, "pages"); await context.saveChanges(); }
    else await context.saveChanges({ only: [note] });
    time.push(performance.now() - t);
  }
  console.log(tracking, "one of", total, "median ms", median(time)!.toFixed(3), "first", time[0]!.toFixed(1), "max of rest", Math.max(...time.slice(5)).toFixed(2));
  // with removals: add and remove
  const t2: number[] = [];
  for (let i = 0; i < 50; i++) {
    const n = new Note({ book: "s", id: "new" + i, title: "t", pages: 1, a: "a", b: 1 });
    const t = performance.now();
    context.add(n); await context.saveChanges(tracking === "explicit" ? undefined : { only: [n] });
    context.remove(n); await context.saveChanges(tracking === "explicit" ? undefined : { only: [n] });
    t2.push(performance.now() - t);
  }
  console.log(tracking, "add+save+remove+save median", median(t2)!.toFixed(3));
  if (tracking === "automatic") {
    const t3: number[] = [];
    for (let i = 0; i < 30; i++) { note.pages++; const t = performance.now(); await context.saveChanges(); t3.push(performance.now() - t); }
    console.log("automatic full save: median ms", median(t3)!.toFixed(1), "ns each", (median(t3)! / total * 1e6).toFixed(1));
    const kept = rest.map((n) => [n.title, n.pages, n.a, n.b, n.book, n.id] as const);
    const t4: number[] = [];
    for (let r = 0; r < 30; r++) { const t = performance.now(); let c = 0;
      for (let i = 0; i < total; i++) { const n = rest[i]!, k = kept[i]!; if (n.title !== k[0] || n.pages !== k[1] || n.a !== k[2] || n.b !== k[3] || n.book !== k[4] || n.id !== k[5]) c++; }
      if (c) throw new Error(); t4.push(performance.now() - t); }
    console.log("by hand over kept values ns each", (median(t4)! / total * 1e6).toFixed(1), "ratio", (median(t3)! / median(t4)!).toFixed(2));
  }
}
await storage.close();
