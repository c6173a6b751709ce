import { createTables } from "@partita/core";
import { events } from "./atcontent/events.ts";
import { keys } from "./atcontent/keys.ts";
import { Followers, Logs, News, Sharded, Users } from "./atcontent/model.ts";
import type { Source } from "./item.ts";

/** Articles about a service over tables and queues, and its library of keys. */
export const atcontent: Source = {
  title: "AtContent",
  async prepare(storage) {
    await createTables(storage, [Users, News, Sharded, Logs, Followers]);
  },
  chapters: [keys, events],
};
