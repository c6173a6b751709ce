import { md5 } from "@noble/hashes/legacy.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

/** Gives the worker the part of Node that keys need: buckets take the MD5 digest, which browsers lack. */
export function provideDigest(): void {
  const createHash = (): object => ({
    update: (text: string) => ({ digest: () => bytesToHex(md5(utf8ToBytes(text))) }),
  });
  const process = { versions: {}, emitWarning: () => undefined, getBuiltinModule: () => ({ createHash }) };
  Object.assign(globalThis, { process });
}
