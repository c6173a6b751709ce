import type { Domain, Domains, DomainSetting } from "@partita/patterns";
import fc from "fast-check";

/** Makes and shrinks the values of a domain with fast-check. Corner values occur often. */
function domainValues(domain: Domain, setting: DomainSetting): fc.Arbitrary<unknown> {
  const { form } = domain;
  switch (form.type) {
    case "text":
      return orCorners(domain, setting, textOf(form.min, form.max));
    case "integer":
      return orCorners(domain, setting, fc.integer({ min: form.min, max: form.max }));
    case "number":
      return orCorners(domain, setting, fc.double({ min: form.min, max: form.max, noNaN: true }));
    case "int64":
      return orCorners(domain, setting, fc.bigInt({ min: form.min, max: form.max }));
    case "date":
      return orCorners(domain, setting, datesOf(form.min, form.max));
    case "recent":
      return orCorners(domain, setting, datesOf(Math.ceil(setting.now - form.ms), setting.now));
    case "guid":
      return orCorners(domain, setting, fc.uuid());
    case "values":
      return fc.constantFrom(...form.values);
    case "list":
      return fc.array(domainValues(form.of, setting), {
        minLength: form.min,
        maxLength: form.max,
        size: "max",
      });
    case "optional":
      return fc.option(domainValues(form.of, setting), { nil: undefined });
    default:
      return form satisfies never;
  }
}

/** Values of all parameters, by name. */
export const parameterValues = (
  parameters: Domains,
  setting: DomainSetting,
): fc.Arbitrary<Readonly<Record<string, unknown>>> =>
  fc.record(
    Object.fromEntries(
      Object.entries(parameters).map(([name, domain]) => [name, domainValues(domain, setting)]),
    ),
  );

const orCorners = (
  domain: Domain,
  setting: DomainSetting,
  values: fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 3, arbitrary: values },
    { weight: 1, arbitrary: fc.constantFrom(...domain.corners(setting)) },
  );

const datesOf = (min: number, max: number): fc.Arbitrary<Date> =>
  fc.date({ min: new Date(min), max: new Date(max), noInvalidDate: true });

/** Longer text only occurs at the corners. */
const usualLength = 40;

/** Every character of well-formed text, so that any text can be shrunk. */
const anyUnit = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((point) => String.fromCodePoint(point), pointOf);

/** Characters that are common, that separate key parts, or that are hard for keys and filters. */
const units = Array.from("aZ09 _-!|~.,:;'\"%+&=/\\#?\u0001\u007f\u00a0é\ud7ff\ue000\uffff");

/** Lengths are in UTF-16 units, but fast-check counts characters, so longer text is cut. */
const textOf = (min: number, max: number): fc.Arbitrary<string> =>
  fc
    .string({
      unit: fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...units) }, { weight: 1, arbitrary: anyUnit }),
      minLength: min,
      maxLength: Math.min(max, Math.max(min, usualLength)),
      size: "max",
    })
    .map((text) => text.slice(0, max).toWellFormed(), String);

function pointOf(unit: unknown): number {
  const [point, other] = Array.from(String(unit), (each) => each.codePointAt(0));
  if (point === undefined || other !== undefined) throw new Error("This is not one character.");
  return point;
}
