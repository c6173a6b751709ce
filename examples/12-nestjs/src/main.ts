// A NestJS module: one storage for the application, and one context for each request, injected where it is
// needed.
import "reflect-metadata";
import { Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { FastifyAdapter, type NestFastifyApplication } from "@nestjs/platform-fastify";
import { BlogsModule } from "./blogs-module.ts";
import { TablesModule } from "./tables-module.ts";

@Module({ imports: [TablesModule.forRoot({ target: "memory:" }), BlogsModule] })
class AppModule {}

const app = await NestFactory.create<NestFastifyApplication>(AppModule, new FastifyAdapter(), {
  logger: ["error"],
});
await app.init();

const post = async (path: string, payload: object = {}): Promise<string> => {
  const response = await app.inject({ method: "POST", url: `/channels/news/blogs/${path}`, payload });
  return `${response.statusCode} ${response.body}`;
};
console.log(`A blog is added: ${await post("1", { text: "Hello" })}`);
console.log(`The same once more: ${await post("1", { text: "Hello again" })}`);
// Eight concurrent requests, each with its own context. Conflicts are resolved, and no rating is lost.
await Promise.all(Array.from({ length: 8 }, () => post("1/ratings")));
console.log(`A ninth rating: ${await post("1/ratings")}`);
const list = await app.inject({ url: "/channels/news/blogs" });
console.log(`The list: ${list.body}`);
await app.close();
