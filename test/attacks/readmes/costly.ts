/** Readmes that took seconds, minutes, the whole stack or the whole memory to render before there were limits. */

type Row = [name: string, content: string];

/** The largest readme of one piece, and the text before and after it. */
const full = (piece: string, before = "", after = "") =>
  before +
  piece.repeat(Math.floor((524_000 - before.length - after.length) / piece.length)) +
  after;

const inline: Row[] = (
  [
    ["strong without an end", "**a"],
    ["emphasis of two kinds", "*a_ "],
    ["emphasis before signs", "_a#"],
    ["emphasis and strikethrough", "{**~~  "],
    ["strikethrough", "~~a "],
    ["opening brackets", "["],
    ["opening brackets of images", "!["],
    ["links without an end", "[a](b"],
    ["links in links", "[a](b) [", ")"],
    ["references", "[a][", "[a]: b\n\n"],
    ["code of growing fences", "`a``b```c"],
    ["code and brackets", "`[a"],
    ["tags without an end", "<a "],
    ["less-than signs", "<"],
    ["comments without an end", "a <!-- "],
    ["CDATA without an end", "a <![CDATA["],
    ["instructions without an end", "a <?"],
    ["character references", "&a;", "http://a"],
    ["backslashes", "\\"],
    ["addresses that end in periods", ".", "http://a"],
    ["hosts", "www."],
    ["mail addresses", "a@"],
    ["mail address with a long name", "|", "a ", "@a.a"],
    ["spaces before a line feed", " ", "a", "\nb"],
    ["bangs", "!"],
  ] as [string, string, string?, string?][]
).map(([name, piece, before, after]) => [name, full(piece, before, after)]);

const deep = (levels: number, line: (level: number) => string) =>
  Array.from({ length: levels }, (_, level) => line(level)).join("");

const blocks: Row[] = [
  ["700 nested bullets", deep(700, (level) => `${"  ".repeat(level)}- a\n`)],
  ["2,000 quotes in one line", ">".repeat(2_000)],
  ["50,000 numbers in one line", "1. ".repeat(50_000)],
  ["bullets in one line", full("+ ")],
  ["bullets and quotes in one line", full("- > ")],
  [
    "quotes that go on without a sign",
    deep(40, (level) => `${"> ".repeat(level)}a\n`) + "b\n".repeat(9),
  ],
  ["lists and quotes, each in the other", deep(99, (level) => `${"> - ".repeat(level)}a\n`)],
  [
    "table of many columns and rows",
    `|${"a|".repeat(9_000)}\n|${"-|".repeat(9_000)}\n${"|\n".repeat(9_000)}`,
  ],
  ["table of short rows", `${"|a".repeat(700)}|\n${"|-".repeat(700)}|\n${"|\n".repeat(700)}`],
  ["one long address in many links", `[x]: a${"b".repeat(99_000)}\n\n${"[x] ".repeat(20)}`],
  ["one long title in many images", `[x]: a "${"b".repeat(99_000)}"\n\n${"![x] ".repeat(20)}`],
  ["lines of one list item", full("|\n\t'", "* ")],
  ["lines of one paragraph", full("a\n")],
  ["quotes and code by turns", full(">\n    a\n> ")],
  ["definitions without an end", full('[a]: b "\n')],
  ["more lines than allowed", full("a\n\n")],
  ["emphasis in emphasis", `${"*a **b ".repeat(400)}${"c** d* ".repeat(400)}`],
  ["tags in tags", full("<b>", "<div>\n")],
  ["ends without beginnings", full("</i>", `<div>\n${"<b>".repeat(60_000)}`)],
];

export const costlyReadmes: Row[] = [...inline, ...blocks];
