/**
 * The order of Maven versions (the POM reference, "Version Order Specification"; where its text and
 * Maven differ, as Maven 3.9 compares them: 1.0.Final-redhat comes before 1.0.SP1-redhat).
 */
import { sortableNumber } from "./sortable_number.ts";

/** A number or a word of a version, and whether a dot stands before it. */
interface Token {
  dotted: boolean;
  /** Digits, or a qualifier in lower case. */
  text: string;
}

/**
 * What a key has at a token's place. The end of a version stands between the qualifiers that
 * announce a release and everything else. A release's own qualifier, with more behind it, is like
 * the end, and it is what follows that decides.
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

/**
 * A text that sorts among those of other versions as Maven orders the versions; equal ones, such as
 * 1 and 1.0-ga, have the same.
 */
export const mavenSortKey = (version: string): string =>
  `${trimTokens(tokensOf(version)).map(keyOf).join("")}${rank.end}`;

/** Numbers and words; a change from one to the other parts them like a hyphen. */
function tokensOf(version: string): Token[] {
  const tokens: Token[] = [];
  for (const [i, dotted] of version.toLowerCase().split(".").entries()) {
    for (const [j, hyphened] of dotted.split("-").entries()) {
      const runs = hyphened.match(/\d+|\D+/g) ?? ["0"];
      for (const [k, run] of runs.entries()) {
        const text = isNumber(run) ? run : wordOf(run, runs[k + 1] !== undefined);
        const atDot = j === 0 && k === 0;
        // A word after a dot counts as one after a hyphen.
        tokens.push({ dotted: (atDot && isNumber(run)) || (atDot && i === 0), text });
      }
    }
  }
  return tokens;
}

/** A word as Maven reads it; some may be abbreviated where a number follows at once. */
function wordOf(run: string, numberFollows: boolean): string {
  const word = numberFollows ? (abbreviations.get(run) ?? run) : run;
  return renamed.get(word) ?? word;
}

/** Without what says nothing: zeros before each hyphen, and zeros and releases at the end. */
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
    const rest = all.slice(i + 1).find((one) => !/^0*$/.test(one.text));
    return rest && preReleaseRanks.has(rest.text) ? rank.releaseThenLess : rank.releaseThenMore;
  }
  if (text === "sp") return rank.sp;
  return preReleaseRanks.get(text) ?? `${rank.word}${escapeKey(text)} `;
}

/** Printable ASCII as it is, all else behind it in the order of its code units. */
const escapeKey = (text: string) =>
  text.replace(/[^\x21-\x7d]/g, (unit) => `~${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
