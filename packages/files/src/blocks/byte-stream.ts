import { freeMemory, giveAway } from "./free-memory.ts";

/**
 * Bytes as a web stream. Who reads into memory of their own (`getReader({ mode: "byob" })`) gets them copied there, and what they
 * were read into is freed at once; anybody else gets that memory itself.
 *
 * @param read - parts, none of them empty and each alone in its memory; the signal ends it, also while it waits
 */
export function byteStream(
  read: (ended: AbortSignal) => AsyncGenerator<Uint8Array, undefined>,
): ReadableStream<Uint8Array> {
  const end = new AbortController();
  const parts = read(end.signal);
  /** What is left of a part that did not fit the reader's memory. */
  let rest: Uint8Array | undefined;
  return new ReadableStream({
    type: "bytes",
    async pull(controller) {
      rest ??= (await parts.next()).value;
      // Asked of it now: the reader may have gone meanwhile.
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
