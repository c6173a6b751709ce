import { loadCrypto } from "../../../values/keys/load-crypto.ts";

/** Signs texts with a key: HMAC-SHA-256 as base64. */
export function hmacOf(key: Uint8Array): (text: string) => string {
  const { createHmac, createSecretKey } = loadCrypto();
  // Create the key object once: importing the bytes takes seven times as long as a signature.
  const secret = createSecretKey(key);
  return (text) => createHmac("sha256", secret).update(text).digest("base64");
}
