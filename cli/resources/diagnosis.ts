/** Writes the diagnosis of a token for people. */
import { here } from "../surroundings.ts";
import { withoutControls } from "./cells.ts";
import type { JsonObject } from "./flags.ts";
import { type Format, styleOutput } from "./table.ts";

type Check = { kind: string; outcome: string; description: string };
type Segment = { kind: string; text?: string };
type Field = {
  field: string;
  outcome: string;
  isPattern?: boolean;
  expected?: string[];
  actual?: string[];
  difference?: Segment[];
  description: string;
};
type Warning = { kind: string; field: string; description: string; sample?: string };
type Identity = {
  uid: string;
  name: string;
  exchange?: string;
  bearer?: string;
  description?: string;
  fields?: Field[];
  fieldsLeftOut?: number;
  warnings?: Warning[];
};

const painted = (format: Format, text: string) => styleOutput(here().stdout, format, text);
const hasColor = () => painted("red", "x") !== "x";

const signs: Record<string, [string, Format]> = {
  PASSED: ["✓", "green"],
  FAILED: ["✗", "red"],
  NOT_CHECKED: ["?", "yellow"],
  ACCEPTED: ["✓", "green"],
  REFUSED: ["✗", "red"],
  UNDECIDED: ["?", "yellow"],
};

function signOf(value: string): string {
  const [sign, style] = signs[value.replace(/^(CHECK_OUTCOME|TOKEN_ACCEPTANCE)_/, "")] ?? [
    "·",
    "dim",
  ];
  return painted(style, sign);
}

/** Returns the text of a diagnosis, with at most `limit` identities if there is a token. */
export function diagnosisText(diagnosis: JsonObject, limit: number): string {
  const checks = (diagnosis.checks ?? []) as Check[];
  const all = (diagnosis.identities ?? []) as Identity[];
  const isCompared = checks.length > 0;
  const isUnreadable = checks.some(
    ({ kind, outcome }) => kind === "TOKEN_CHECK_KIND_FORMAT" && outcome === "CHECK_OUTCOME_FAILED",
  );
  // There is nothing to compare.
  if (isUnreadable) return checksText(checks);
  const wanted = isCompared ? all.toSorted(byAcceptance) : all.filter(hasWarnings);
  const shown = isCompared ? wanted.slice(0, limit) : wanted;
  const blocks = [
    ...(isCompared ? [checksText(checks)] : []),
    ...shown.map(identityText),
    ...endOf(all, shown, isCompared, diagnosis.incomplete === true),
  ];
  return blocks.join("\n\n");
}

const hasWarnings = ({ warnings = [] }: Identity) => warnings.length > 0;

const ranks = ["ACCEPTED", "UNDECIDED"];
const rankOf = ({ exchange = "", bearer = "" }: Identity) => {
  const best = ranks.findIndex((rank) => exchange.endsWith(rank) || bearer.endsWith(rank));
  return best < 0 ? ranks.length : best;
};
const byAcceptance = (a: Identity, b: Identity) => rankOf(a) - rankOf(b);

function endOf(all: Identity[], shown: Identity[], isCompared: boolean, isIncomplete: boolean) {
  if (all.length === 0) return ["The group has no identities that accept tokens of this kind."];
  if (!isCompared) {
    const count = `${all.length} ${all.length === 1 ? "identity" : "identities"}`;
    return [
      shown.length === 0
        ? `No warnings about ${count}.`
        : `Warnings about ${shown.length} of ${count}.`,
    ];
  }
  const left = all.length - shown.length;
  const notes = [
    ...(left > 0
      ? [
          `${left} less similar ${left === 1 ? "identity is" : "identities are"} not shown: set --limit.`,
        ]
      : []),
    ...(isIncomplete
      ? ["The group can have more identities. To compare every one, set --all."]
      : []),
  ];
  return notes.length > 0 ? [notes.join("\n")] : [];
}

function checksText(checks: Check[]): string {
  const lines = checks.map(({ kind, outcome, description }) => {
    const name = kind.replace("TOKEN_CHECK_KIND_", "").replaceAll("_", " ").toLowerCase();
    return `  ${signOf(outcome)} ${name.padEnd(10)}  ${withoutControls(description)}`;
  });
  return [painted("bold", "Token"), ...lines].join("\n");
}

function identityText(identity: Identity): string {
  const { name, uid, exchange = "", bearer = "", description } = identity;
  const best =
    [exchange, bearer].find((result) => /_(ACCEPTED|UNDECIDED)$/.test(result)) ?? exchange;
  const failed = (identity.fields ?? []).filter(({ outcome }) => outcome.endsWith("FAILED"));
  return [
    `${painted("bold", withoutControls(name))}  ${painted("dim", uid)}`,
    ...(description ? [`  ${signOf(best)} ${withoutControls(description)}`] : []),
    ...failed.flatMap(fieldLines),
    ...(identity.warnings ?? []).flatMap(warningLines),
  ].join("\n");
}

function fieldLines({ field, description, ...rest }: Field): string[] {
  const { expected = [], actual = [], difference = [], isPattern } = rest;
  const row = (label: string, value: string) => `      ${painted("dim", label.padEnd(12))}${value}`;
  return [
    `    ${withoutControls(field)}: ${withoutControls(description)}`,
    row(isPattern ? "pattern" : "identity", expected.map(withoutControls).join(" or ")),
    row(
      "token",
      actual.length > 0 ? actual.map(withoutControls).join(", ") : painted("dim", "nothing"),
    ),
    ...(difference.length > 0
      ? [row(isPattern ? "matches" : "difference", difference.map(segmentText).join(""))]
      : []),
  ];
}

/** Without colors, marks show the text: `[-only in the identity-]` and `{+only in the token+}`. */
function segmentText({ kind, text = "" }: Segment): string {
  const shown = withoutControls(text);
  if (kind.endsWith("EQUAL")) return shown;
  const isDeleted = kind.endsWith("DELETED");
  if (hasColor())
    return painted(isDeleted ? ["red", "strikethrough"] : ["green", "underline"], shown);
  return isDeleted ? `[-${shown}-]` : `{+${shown}+}`;
}

const warningLines = ({ field, description, sample }: Warning): string[] => [
  `  ${painted("yellow", "!")} ${withoutControls(field)}: ${withoutControls(description)}`,
  ...(sample ? [`      ${painted("dim", "accepts".padEnd(12))}${withoutControls(sample)}`] : []),
];
