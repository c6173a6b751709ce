/**
 * Frees the memory of bytes that nobody else has: the runtime collects arrays when tens of megabytes of them are left, and
 * memory that is used again at once need not be asked of the system.
 *
 * @param bytes - alone in their memory
 */
export const freeMemory = ({ buffer }: Uint8Array): void => {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
};
