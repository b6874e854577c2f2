/**
 * The order of Maven versions (the POM reference, "Version Order Specification"). If its text and Maven
 * differ, the order follows Maven 3.9: 1.0.Final-redhat comes before 1.0.SP1-redhat.
 */
import { sortableNumber } from "./sortable_number.ts";

/** A number or a word of a version, and whether a dot precedes it. */
interface Token {
  dotted: boolean;
  /** Digits, or a qualifier in lowercase. */
  text: string;
}

/**
 * The part of a key for one token. The end of a version sorts between the qualifiers of prereleases and
 * everything else. The qualifier of a release sorts like the end if more follows, and the next token decides.
 */
const rank = {
  releaseThenLess: "5",
  end: "6",
  releaseThenMore: "7",
  sp: "8",
  word: "9",
  number: "a",
  dottedNumber: "b",
};

const preReleaseRanks = new Map(
  ["alpha", "beta", "milestone", "rc", "snapshot"].map((word, i) => [word, String(i)]),
);

const abbreviations = new Map(Object.entries({ a: "alpha", b: "beta", m: "milestone" }));
const renamed = new Map(Object.entries({ cr: "rc", final: "", ga: "", release: "" }));

const isNumber = (text: string) => /^\d/.test(text);
const isZero = (token: Token | undefined) => token !== undefined && /^0+$/.test(token.text);

/** A text that sorts like the version in Maven. Equal versions, such as 1 and 1.0-ga, have the same text. */
export const mavenSortKey = (version: string): string =>
  `${trimTokens(tokensOf(version)).map(keyOf).join("")}${rank.end}`;

/** Numbers and words. A change from one to the other separates them like a hyphen. */
function tokensOf(version: string): Token[] {
  const tokens: Token[] = [];
  for (const [i, dotted] of version.toLowerCase().split(".").entries()) {
    for (const [j, hyphened] of dotted.split("-").entries()) {
      const runs = hyphened.match(/\d+|\D+/g) ?? ["0"];
      for (const [k, run] of runs.entries()) {
        const text = isNumber(run) ? run : wordOf(run, runs[k + 1] !== undefined);
        const atDot = j === 0 && k === 0;
        // A word after a dot counts like one after a hyphen.
        tokens.push({ dotted: (atDot && isNumber(run)) || (atDot && i === 0), text });
      }
    }
  }
  return tokens;
}

/** A word as Maven reads it. Some words can be abbreviated if a number follows directly. */
function wordOf(run: string, numberFollows: boolean): string {
  const word = numberFollows ? (abbreviations.get(run) ?? run) : run;
  return renamed.get(word) ?? word;
}

/** Removes empty parts: zeros before each hyphen, and zeros and releases at the end. */
function trimTokens(tokens: Token[]): Token[] {
  const kept = [...tokens];
  while (kept.length > 1 && kept.at(-1)?.text.match(/^0*$/)) kept.pop();
  for (let end = kept.length - 1; end > 0; end -= 1) {
    if (kept[end]?.dotted) continue;
    while (end > 1 && isZero(kept[end - 1])) {
      end -= 1;
      kept.splice(end, 1);
    }
  }
  return kept;
}

function keyOf({ dotted, text }: Token, i: number, all: Token[]): string {
  if (isNumber(text)) return `${dotted ? rank.dottedNumber : rank.number}${sortableNumber(text)}`;
  if (text === "") {
    const rest = all.slice(i + 1).find((token) => !/^0*$/.test(token.text));
    return rest && preReleaseRanks.has(rest.text) ? rank.releaseThenLess : rank.releaseThenMore;
  }
  if (text === "sp") return rank.sp;
  return preReleaseRanks.get(text) ?? `${rank.word}${escapeKey(text)} `;
}

/** Printable ASCII stays unchanged. Other characters come after it, in the order of their code units. */
const escapeKey = (text: string) =>
  text.replace(/[^\x21-\x7d]/g, (unit) => `~${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
