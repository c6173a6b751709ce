/**
 * Frees the memory of unused bytes. The runtime collects arrays only after tens of megabytes of garbage, and reusing
 * memory immediately is cheaper than requesting it from the system. Remaining references see an empty array.
 *
 * @param bytes - the only view of their buffer
 */
export const freeMemory = ({ buffer }: Uint8Array): void => {
  // Shared memory cannot be transferred.
  if ("transfer" in buffer) buffer.transfer(0);
};
