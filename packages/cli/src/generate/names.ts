/** A name for a class: `blog-post` and `BlogPosts` as `BlogPost` and `BlogPosts`. */
export function className(text: string): string {
  const words = text.split(/[^\p{L}\d]+/u).filter((word) => word !== "");
  const joined = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
  return /^\p{L}/u.test(joined) ? joined : `Row${joined}`;
}

/** A name for a property, as TypeScript writes them: `AlternativeName` as `alternativeName`, `URL` as `url`. */
export function propertyName(storedName: string): string {
  const capitals = /^\p{Lu}+(?=\p{Lu}\p{Ll}|[\d_]|$)|^\p{Lu}/u.exec(storedName)?.[0] ?? "";
  const name = capitals.toLowerCase() + storedName.slice(capitals.length);
  return ["constructor", "__proto__", "prototype"].includes(name) ? `${name}Value` : name;
}

/** A name that no other member has, which is taken then. */
export function freeName(name: string, taken: Set<string>): string {
  let free = name;
  for (let n = 2; taken.has(free); n++) free = `${name}${n}`;
  taken.add(free);
  return free;
}
