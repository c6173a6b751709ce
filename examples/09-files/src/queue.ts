import type { Files } from "@partita/files";

/**
 * Consumers share a file as a queue: each takes the first block until none is left.
 *
 * @returns the items that each has taken
 */
export async function shareQueue(
  files: Files,
  path: string,
  items: number,
  consumers: number,
): Promise<readonly string[][]> {
  const queue = await files.create(path);
  for (let item = 1; item <= items; item++) await queue.append(`item ${item}`);
  const consume = async (): Promise<string[]> => {
    const own = await files.open(path);
    const taken: string[] = [];
    for (;;) {
      const head = await own?.deleteHead();
      if (head === undefined) return taken;
      taken.push(Buffer.from(head.bytes).toString());
    }
  };
  return Promise.all(Array.from({ length: consumers }, consume));
}
