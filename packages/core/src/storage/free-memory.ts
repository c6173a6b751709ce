/**
 * Frees the memory of bytes that nobody uses any more. The runtime collects arrays when tens of megabytes of them are left, and
 * memory that is used again at once need not be asked of the system. To whoever still has them, they are empty.
 *
 * @param bytes - alone in their memory
 */
export const freeMemory = ({ buffer }: Uint8Array): void => {
  // Shared memory cannot be given away.
  if ("transfer" in buffer) buffer.transfer(0);
};
