/** Hides the quickstart's progress bar, which is not part of the work. */
export async function quietly(work: () => Promise<void>): Promise<void> {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = () => true;
  try {
    await work();
  } finally {
    process.stdout.write = write;
  }
}
