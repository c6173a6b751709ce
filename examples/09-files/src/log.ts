import type { Files } from "@partita/files";

/**
 * Several writers append to one log, while a reader follows it until it is deleted.
 *
 * @returns the lines that were read
 */
export async function followLog(
  files: Files,
  path: string,
  writers: number,
  lines: number,
): Promise<string[]> {
  const log = await files.create(path, { contentType: "text/plain" });
  const read: string[] = [];
  const reading = (async () => {
    for await (const bytes of log.stream({ follow: true, pollMs: 5 }))
      read.push(Buffer.from(bytes).toString());
  })();
  const write = async (writer: number): Promise<void> => {
    // Each writer opens the file itself, like a program on another machine.
    const own = await files.open(path);
    for (let line = 1; line <= lines; line++) await own?.append(`writer ${writer}: line ${line}\n`);
  };
  await Promise.all(Array.from({ length: writers }, (_, i) => write(i + 1)));
  await files.delete(path);
  await reading;
  return read;
}
