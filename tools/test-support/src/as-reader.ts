/** Root may write everywhere, so if root runs the tests, work is done as this user, who has no rights. */
const nobody = 65_534;
const isRoot = process.getuid?.() === 0;

/** Does work as a user who may not write. */
export async function asReader<Result>(work: () => Promise<Result>): Promise<Result> {
  if (isRoot) process.seteuid?.(nobody);
  try {
    return await work();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}
