// A social home page: photos, videos and status lines of a user in one partition, the latest first.
import {
  DateTime,
  Int32,
  Kind,
  newestFirst,
  PartitionKey,
  RowKey,
  Table,
  Text,
  ulid,
  type Key,
} from "@partita/decorators";

@Table("HomePages", { kindProperty: "Type" })
export abstract class Item {
  @PartitionKey() user!: Key<string>;
  @RowKey(newestFirst) createdOn!: Key<Date>;
  @RowKey(ulid) id!: Key<string>;

  abstract line(): string;
}

@Kind("Photo")
export class Photo extends Item {
  @Text() url!: string;
  @Int32() width = 0;

  line(): string {
    return `photo ${this.url}`;
  }
}

@Kind("Video")
export class Video extends Item {
  @Text() url!: string;
  @Int32() seconds = 0;

  line(): string {
    return `video ${this.url}, ${this.seconds} s`;
  }
}

// Its former name is Note. Rows with that name are still read, and keep it.
@Kind("Status", { formerly: ["Note"] })
export class Status extends Item {
  @Text() text!: string;
  @DateTime({ optional: true }) editedOn?: Date;

  line(): string {
    return `"${this.text}"`;
  }
}
