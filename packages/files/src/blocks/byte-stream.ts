import { freeMemory, giveAway } from "./free-memory.ts";

/**
 * Bytes as a web stream. A reader with its own memory (`getReader({ mode: "byob" })`) receives copies, and
 * the memory they were read into is freed immediately. Any other reader receives that memory itself.
 *
 * @param read - yields parts; none is empty, and each has its own memory. The signal ends it, even while it
 * waits
 */
export function byteStream(
  read: (ended: AbortSignal) => AsyncGenerator<Uint8Array, undefined>,
): ReadableStream<Uint8Array> {
  const end = new AbortController();
  const parts = read(end.signal);
  /** The rest of a part that did not fit into the reader's memory. */
  let rest: Uint8Array | undefined;
  return new ReadableStream({
    type: "bytes",
    async pull(controller) {
      rest ??= (await parts.next()).value;
      // Read only now, because the reader may have left meanwhile.
      const request = controller.byobRequest;
      if (rest === undefined) {
        controller.close();
        request?.respond(0);
      } else if (request?.view == null) {
        giveAway(rest.byteLength);
        controller.enqueue(rest as Uint8Array<ArrayBuffer>);
        rest = undefined;
      } else {
        const { buffer, byteOffset, byteLength } = request.view;
        const length = Math.min(byteLength, rest.byteLength);
        new Uint8Array(buffer, byteOffset, length).set(rest.subarray(0, length));
        if (length < rest.byteLength) rest = rest.subarray(length);
        else {
          freeMemory(rest);
          rest = undefined;
        }
        request.respond(length);
      }
    },
    async cancel() {
      rest = undefined;
      end.abort();
      await parts.return(undefined);
    },
  });
}
