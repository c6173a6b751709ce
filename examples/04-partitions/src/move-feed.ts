// A feed that outgrew its partitions moves from month to week slices, while programs read and write it.
import { createTables, defineEntity, int32, TableContext, type TableStorage, text } from "@partita/core";
import { month, newestFirst, week } from "@partita/core/keys";
import { moveRows } from "@partita/maintenance";

const post = {
  rowKey: { postedOn: newestFirst },
  properties: { text: text(), likes: int32().default(0) },
} as const;

/** The feed in months. */
class MonthlyPost extends defineEntity({
  ...post,
  table: "MonthlyPosts",
  partitionKey: { channel: text(), postedOn: month(newestFirst) },
}) {}

/** The same posts in weeks. Remove `formerKeys` once everything is moved. */
class WeeklyPost extends defineEntity({
  ...post,
  table: "WeeklyPosts",
  partitionKey: { channel: text(), postedOn: week(newestFirst) },
  formerKeys: MonthlyPost,
}) {}

const channel = "Channel9";
const postedOn = (n: number): Date => new Date(Date.UTC(2008, 0, 1 + n, 10));
const total = 731;

/** Likes posts, one after another, until the move has ended. @returns likes by post */
async function like(storage: TableStorage, isOver: () => boolean): Promise<Map<number, number>> {
  const likes = new Map<number, number>();
  for (let n = 0; !isOver(); n = (n + 97) % total) {
    const liked = (each: WeeklyPost): void => void each.likes++;
    await new TableContext(storage).modify(WeeklyPost, { channel, postedOn: postedOn(n) }, liked, {
      attempts: 50,
    });
    likes.set(n, (likes.get(n) ?? 0) + 1);
  }
  return likes;
}

/** Reads the feed until the move has ended. @returns the number of reads, and whether each was complete */
async function read(
  storage: TableStorage,
  isOver: () => boolean,
): Promise<[times: number, isComplete: boolean]> {
  let [times, isComplete] = [0, true];
  while (!isOver()) {
    const posts = await new TableContext(storage).query(WeeklyPost).where({ channel }).toArray();
    const isInOrder = posts.every((each, i) => each.postedOn.getTime() === postedOn(total - 1 - i).getTime());
    isComplete &&= posts.length === total && isInOrder;
    times++;
  }
  return [times, isComplete];
}

export async function moveFeed(storage: TableStorage): Promise<void> {
  await createTables(storage, [MonthlyPost, WeeklyPost]);
  const writer = new TableContext(storage);
  for (let n = 0; n < total; n++)
    writer.create(MonthlyPost, { channel, postedOn: postedOn(n), text: "Hello" });
  await writer.saveChanges();

  let isOver = false;
  const moving = moveRows(storage, MonthlyPost, WeeklyPost).finally(() => (isOver = true));
  const [report, likes, [times, isComplete]] = await Promise.all([
    moving,
    like(storage, () => isOver),
    read(storage, () => isOver),
  ]);

  const posts = await new TableContext(storage).query(WeeklyPost).where({ channel }).toArray();
  const stored = posts.reduce((sum, each) => sum + each.likes, 0);
  const expected = [...likes.values()].reduce((sum, each) => sum + each, 0);
  console.log(`  moved: ${report.isClean ? "every post" : `all but ${report.leftCount}`}`);
  console.log(
    `  read meanwhile: ${times > 0 && isComplete ? "complete and in order each time" : "incomplete"}`,
  );
  console.log(
    `  liked meanwhile: ${stored === expected ? "no like is lost" : `${expected - stored} likes lost`}`,
  );
  console.log(`  old rows left: ${await new TableContext(storage).query(MonthlyPost).scan().count()}`);
}
