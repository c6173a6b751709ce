/**
 * Frees the memory of bytes that are no longer used. The runtime collects arrays only after tens of megabytes of
 * garbage, and memory that is reused immediately need not be requested from the system. References that still exist
 * see an empty array.
 *
 * @param bytes - alone in their memory
 */
export const freeMemory = ({ buffer }: Uint8Array): void => {
  // Shared memory cannot be given away.
  if ("transfer" in buffer) buffer.transfer(0);
};
