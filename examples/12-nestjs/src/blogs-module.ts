import {
  Body,
  ConflictException,
  Controller,
  Get,
  Inject,
  Injectable,
  Module,
  NotFoundException,
  Param,
  Post,
  Scope,
} from "@nestjs/common";
import { ConflictError, SaveError, TableContext, toPlain } from "@partita/core";
import { Int32, PartitionKey, RowKey, Table, Text, type Key } from "@partita/decorators";
import { TablesModule } from "./tables-module.ts";

@Table("Blogs")
class Blog {
  @PartitionKey() channel!: Key<string>;
  @RowKey() id!: Key<string>;
  @Text() text!: string;
  @Int32() rating = 0;
}

/**
 * Works in the context of its request. Its saves include the changes of other services in the same request.
 */
@Injectable({ scope: Scope.REQUEST })
class BlogService {
  constructor(@Inject(TableContext) private readonly tables: TableContext) {}

  list(channel: string): Promise<Blog[]> {
    return this.tables.query(Blog).where({ channel }).toArray();
  }

  async add(channel: string, id: string, text: string): Promise<void> {
    this.tables.add(Object.assign(new Blog(), { channel, id, text }));
    await this.tables.saveChanges();
  }

  async rate(channel: string, id: string): Promise<number> {
    const blog = await this.tables.modify(Blog, { channel, id }, (found) => void found.rating++);
    if (blog === undefined) throw new NotFoundException();
    return blog.rating;
  }
}

@Controller("channels/:channel/blogs")
class BlogController {
  constructor(
    @Inject(BlogService) private readonly blogs: BlogService,
    @Inject(TableContext) private readonly tables: TableContext,
  ) {}

  @Get()
  async list(@Param("channel") channel: string): Promise<object> {
    const found = await this.blogs.list(channel);
    // The service and its controller share one context, so both have the same entities.
    const isShared = found.every((blog) => this.tables.entry(blog).state === "unchanged");
    return { blogs: found.map((blog) => toPlain(blog)), isShared };
  }

  @Post(":id")
  async add(
    @Param("channel") channel: string,
    @Param("id") id: string,
    @Body() { text }: { text: string },
  ): Promise<void> {
    await this.blogs.add(channel, id, text).catch((error: unknown) => {
      const cause = error instanceof SaveError ? error.cause : undefined;
      throw cause instanceof ConflictError ? new ConflictException(cause.reason) : error;
    });
  }

  @Post(":id/ratings")
  async rate(@Param("channel") channel: string, @Param("id") id: string): Promise<object> {
    return { rating: await this.blogs.rate(channel, id) };
  }
}

@Module({
  imports: [TablesModule.forFeature([Blog])],
  controllers: [BlogController],
  providers: [BlogService],
})
export class BlogsModule {}
