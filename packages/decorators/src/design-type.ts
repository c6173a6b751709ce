/** What the compiler recorded of a property's type; undefined where it recorded nothing. */
export function designType(property: string, target: object | undefined): unknown {
  const reflect = Reflect as { getMetadata?: (key: string, target: object, property: string) => unknown };
  return target === undefined ? undefined : reflect.getMetadata?.("design:type", target, property);
}
