// A blog post and its comments: two kinds in one table and partition. A comment's key starts with the key of
// its post.
import {
  Children,
  escaped,
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

@Table("Blogs", { separator: "!" })
abstract class Entry {
  @PartitionKey(escaped) channel!: Key<string>;
  @RowKey(newestFirst) postedOn!: Key<Date>;
  @Text() text!: string;
}

@Kind("Blog")
export class Blog extends Entry {
  @Int32() rating = 0;
  @Children(() => Comment) comments?: Children<Comment>;
}

@Kind("Comment")
export class Comment extends Entry {
  @RowKey(ulid) id!: Key<string>;
  @Text() author!: string;
}
