/** The order of Debian versions (Debian Policy 5.6.12): `[epoch:]upstream[-revision]`. */
import { sortableNumber } from "./sortable_number.ts";

const form = /^(?:(\d{1,10}):)?([0-9A-Za-z.+~:-]+)$/;

/** A text that sorts like the version. Undefined if the text is not a Debian version. */
export function debSortKey(version: string): string | undefined {
  const [all, epoch, rest = ""] = form.exec(version.trim()) ?? [];
  if (all === undefined || !/^\d/.test(rest)) return undefined;
  // A colon ends the epoch, and only a version with an epoch can have others.
  if (epoch === undefined && rest.includes(":")) return undefined;
  const hyphenIndex = rest.lastIndexOf("-");
  const [upstream, revision] =
    hyphenIndex < 0
      ? [rest, "0"]
      : [rest.slice(0, hyphenIndex), rest.slice(hyphenIndex + 1) || "0"];
  if (revision.includes(":")) return undefined;
  return `${sortableNumber(epoch ?? "0")}${keyOf(upstream)}${keyOf(revision)}`;
}

/** Words and numbers in turns, each of which can be empty. An empty number is 0. */
const keyOf = (text: string) =>
  `${[...text.matchAll(/(\D*)(\d*)/g)]
    .filter(([whole]) => whole !== "")
    .map(([, word = "", digits]) => `${wordKey(word)}${sortableNumber(digits || "0")}`)
    .join("")}${end}`;

const end = "1";

/** `~` comes before the end of a word, then letters, and then other signs. */
const wordKey = (word: string) =>
  `${[...word].map((sign) => (sign === "~" ? "0" : `${/[A-Za-z]/.test(sign) ? "2" : "3"}${sign}`)).join("")}${end}`;
