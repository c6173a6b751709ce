import type { StoredEntity } from "@partita/core/storage";
import { atomNamespaces, atomProperty, escapeXml, printEntry, xmlDeclaration } from "@partita/core/protocol";
import { entityLink } from "./parse-path.ts";
import { shownProperties } from "./payload.ts";
import type { EntityPlace } from "./print-json.ts";

export function atomEntity(
  entity: StoredEntity,
  selected: readonly string[] | undefined,
  place: EntityPlace,
  isDocument: boolean = true,
): string {
  const link = entityLink(place.table, entity);
  const etag = entity["odata.etag"];
  return printEntry({
    id: `${place.base}/${link}`,
    updated: now(),
    links: linksOf(place.table, link, `${place.account}.${place.table}`),
    properties: shownProperties(entity, selected)
      .map((property) => atomProperty(...property))
      .join(""),
    isDocument,
    ...(etag !== undefined && { etag }),
  });
}

/** @param rows - results of `atomEntity`, which are not complete documents */
export const atomEntities = (rows: readonly string[], { base, table }: EntityPlace): string =>
  feed(base, table, rows);

export function atomTable(
  name: string,
  { base, account }: Omit<EntityPlace, "table">,
  isDocument: boolean = true,
): string {
  const link = `Tables('${name}')`;
  return printEntry({
    id: `${base}/${link}`,
    updated: now(),
    links: linksOf("Tables", link, `${account}.Tables`),
    properties: atomProperty("TableName", name),
    isDocument,
  });
}

export const atomTables = (names: readonly string[], place: Omit<EntityPlace, "table">): string =>
  feed(
    place.base,
    "Tables",
    names.map((name) => atomTable(name, place, false)),
  );

const feed = (base: string, title: string, entries: readonly string[]): string =>
  `${xmlDeclaration}<feed xml:base="${escapeXml(base)}/" ${atomNamespaces}><title type="text">${title}</title>` +
  `<id>${escapeXml(base)}/${title}</id><updated>${now()}</updated><link rel="self" title="${title}" href="${title}" />` +
  `${entries.join("")}</feed>`;

const linksOf = (title: string, link: string, term: string): string =>
  `<link rel="edit" title="${title}" href="${escapeXml(link)}" />` +
  `<category term="${term}" scheme="http://schemas.microsoft.com/ado/2007/08/dataservices/scheme" />`;

const now = (): string => new Date().toISOString();
