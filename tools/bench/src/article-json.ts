import type { ArticleValues } from "./article.ts";

/** The body of an article's row in the hand-written loop: all properties except its keys. */
type Body = Omit<ArticleValues, "shop" | "sku">;

export const encodeArticle = ({ views, createdAt, changedAt, image, ...rest }: Body): string =>
  JSON.stringify({
    ...rest,
    views: String(views),
    createdAt: createdAt.toISOString(),
    changedAt: changedAt.toISOString(),
    image: Buffer.from(image).toString("base64"),
  });

export function decodeArticle(text: string): Body {
  const { views, createdAt, changedAt, image, ...rest } = JSON.parse(text) as Record<string, string>;
  return {
    ...(rest as unknown as Body),
    views: BigInt(views ?? "0"),
    createdAt: new Date(createdAt ?? ""),
    changedAt: new Date(changedAt ?? ""),
    image: new Uint8Array(Buffer.from(image ?? "", "base64")),
  };
}
