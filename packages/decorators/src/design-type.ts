/** The type that the compiler recorded for a property. Undefined if it recorded none. */
export function designType(property: string, target: object | undefined): unknown {
  const reflect = Reflect as { getMetadata?: (key: string, target: object, property: string) => unknown };
  return target === undefined ? undefined : reflect.getMetadata?.("design:type", target, property);
}
