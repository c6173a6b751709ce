import type { ReleaseFinding, SeenStatus } from "../release-report.ts";

type Without = Omit<ReleaseFinding, "message">;

/** A finding and its remedy, in a sentence or two, without values. */
export function messageOfFinding(finding: Without): string {
  const subject = subjectOf(finding);
  const { reader, history } = finding;
  const isOwn = history.every(({ release }) => release === reader);
  const writer = reader === "old" ? "new" : "old";
  const said = isOwn
    ? ownSentence(subject, reader, finding.status)
    : sentences[finding.status](subject, reader, writer);
  const code = finding.code === undefined ? "" : ` (${finding.code})`;
  const remedy = finding.isLoss
    ? (remediesOfCodes[finding.code ?? ""] ?? remedies[finding.status])
    : "If the way back is lossy, this is intended.";
  return `${said}${code}. ${remedy}`.trim();
}

const subjectOf = ({ entity, property, index }: Without): string =>
  index !== undefined
    ? `the index ${index} of ${entity}`
    : property !== undefined
      ? `${entity}.${property}`
      : entity;

type Sentence = (subject: string, reader: string, writer: string) => string;

const sentences: Readonly<Record<SeenStatus, Sentence>> = {
  seen: (subject, reader) => `The ${reader} release sees ${subject}`,
  "another value": (subject, reader, writer) =>
    `The ${reader} release sees another value of ${subject} than the ${writer} one wrote`,
  lost: (subject, reader, writer) =>
    `The ${reader} release does not see changes of the ${writer} one to ${subject}`,
  undefined: (subject, reader, writer) =>
    `The ${reader} release sees no value of ${subject}, although the ${writer} one wrote one`,
  unreadable: (subject, reader, writer) =>
    `The ${reader} release cannot read ${subject} of the ${writer} one`,
  "unknown kind": (subject, reader, writer) =>
    `The ${reader} release does not know the kind of ${subject} that the ${writer} one writes`,
  "not an entity": (subject, reader, writer) =>
    `The ${reader} release reads a row of the ${writer} one as ${subject}`,
  "key changed": (subject, reader, writer) =>
    `The ${reader} release finds no ${subject} of the ${writer} one by its key`,
  refused: (subject, reader, writer) =>
    `The ${reader} release may not write a ${subject} that the ${writer} one wrote`,
  "not maintained": (subject, reader, writer) =>
    `The ${reader} release misses rows in ${subject}, which the ${writer} one does not maintain`,
  "not enforced": (subject, reader, writer) =>
    `In the ${reader} release ${subject} is unique, but the ${writer} one stores a second row with the same value`,
  "never read": (subject, reader, writer) =>
    `The ${reader} release has no class for the ${subject} that the ${writer} one writes`,
};

const ownSentence = (subject: string, reader: string, status: SeenStatus): string =>
  status === "refused"
    ? `The ${reader} release cannot store every value of ${subject}`
    : `The ${reader} release sees ${subject} differently than it wrote it itself: ${status}`;

/** Functions of upgrade steps can fail for values that the types allow. */
const remediesOfCodes: Readonly<Record<string, string>> = {
  "upgrade.step-failed":
    "The step fails for a generated value. Let it accept every value of the type, or pass realistic values with the option values.",
  "upgrade.back-failed":
    "The way back fails for a generated value. Let it return an old value for every new one, or pass realistic values with the option values.",
};

const remedies: Readonly<Record<SeenStatus, string>> = {
  seen: "",
  "another value": "Store the new meaning under another name, by retype with a way back.",
  lost: "Declare the change as a step of upgrades(), and keep the older version with supports().",
  undefined:
    "Declare the change as a step of upgrades() with a way back, and keep the older version with supports().",
  unreadable:
    "Let the older release read the new form first, or declare a step with a way back and supports().",
  "unknown kind": "Add the former name to formerly, or let the older release read the kind first.",
  "not an entity": "Give each class of the table a kind.",
  "key changed": "Keep the key, or move the rows to a new one.",
  refused: "Keep the older version with supports().",
  "not maintained":
    "Declare a new index with since and supports(); keep an old one with supports(…, { indexes: … }).",
  "not enforced": "Declare the index with since and supports(), and build it once no older release runs.",
  "never read": "Remove the class once no release writes its rows.",
};
