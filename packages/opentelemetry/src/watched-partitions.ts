/** The measured part of a storage from `watchPartitions` of `@partita/patterns`. */
export interface WatchedPartitions {
  load(): {
    /** The hottest first. */
    readonly partitions: readonly {
      readonly table: string;
      readonly partition: string;
      /** Entities read and written in the last minute. */
      readonly perMinute: number;
    }[];
  };
}
