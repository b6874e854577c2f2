/** Turns of phrase that docs/STYLE.md rules out, and what to write instead. */

/** A pattern for a sentence without its code, and the advice. */
export type Turn = { pattern: RegExp; instead: string };

/** A sentence in which each piece of code is the word `X`. */
export const turns: Turn[] = [
  {
    pattern: /\b(?:told|tells?|telling)\b(?! apart)/i,
    instead: "say, return, report, show or list",
  },
  { pattern: /\bpart(?:ed|s) by\b/i, instead: "separated by" },
  { pattern: /\bmend(?:s|ed|ing)?\b/i, instead: "fix" },
  {
    pattern: /, for (?:it|they|he|she|that|this|there|no) (?:is|are|was|has|have|can)\b/i,
    instead: "because",
  },
  {
    pattern: /\bnone (?:comes?|is left out|are left out)\b/i,
    instead: "a noun: no row appears twice",
  },
  { pattern: /\b(?:comes?|stands?) (?:once|twice)\b/i, instead: "appears, is" },
  {
    // A title, such as "What to do next", is short and ends without a point.
    pattern: /^(?:What|Who|Which)(?:ever)? (?=[^?]*$)(?=\S+ \S+)(?=.*[.:]$|(?:\S+ ){5})/,
    instead: "a thing or you as the subject",
  },
  { pattern: /^You get\b/, instead: "say who the page is for and what it does" },
  { pattern: /\b(?:is|are) for (?:who|whoever|those who)\b/i, instead: "Only X can …" },
  {
    pattern:
      /\b(?:stands?|stood|standing) (?:in|at|on|by|there|still|alone|before|behind|below|above|between|over)\b/i,
    instead: "is, appears, is stored",
  },
  { pattern: /\bbeside\b/i, instead: "next to, in addition to" },
  { pattern: /(?<!ahead )\bof (?:ours|theirs|mine|hers|yours)\b/i, instead: "our X" },
  { pattern: /\bnothing of (?:it|them|ours|theirs)\b/i, instead: "a noun" },
  {
    pattern:
      /(?<!\bthere )\b(?:is|are|was|were) no (?!longer|more|less|later|earlier|larger|such|different|better|worse|fewer)\b/i,
    instead: "is not a",
  },
  { pattern: /\bhangs? on\b/i, instead: "depends on" },
  { pattern: /\bin the hope\b/i, instead: "say what happens" },
  { pattern: /\bmade of\b/i, instead: "generated from, consists of" },
  { pattern: /\banew\b/i, instead: "again" },
  { pattern: /^Else\b|[,;:] else\b/, instead: "otherwise" },
  {
    pattern:
      /\b(?:lest|thereof|whereof|hence|whence|thither|hither|wherein|therein|thereby|whereby)\b/i,
    instead: "plain words",
  },
  { pattern: /\b(?:some|any|no|every)body\b/i, instead: "someone, anyone, no one, everyone" },
  { pattern: /\b(?:goes|go|going) on\b/i, instead: "continues" },
  {
    pattern: /\b(?:is|are) (?:the |its |no )?(?:\w+ ){0,2}\w+'s? to \w+/i,
    instead: "say who does it",
  },
  { pattern: /\btak(?:es?|ing) along\b/i, instead: "deletes, copies" },
  { pattern: /\bin sight\b/i, instead: "visible" },
  { pattern: /\bas ever\b/i, instead: "as before, always" },
  { pattern: /\bcomes? of\b/i, instead: "results from" },
  { pattern: /\bin the place of\b/i, instead: "instead of" },
  { pattern: /\bon the caller's behalf holds\b|\bthe caller holds\b/i, instead: "you have" },
  {
    pattern: /\b(?:please|simply|utili[sz]es?|leverages?|seamless(?:ly)?)\b/i,
    instead: "leave it out",
  },
];
