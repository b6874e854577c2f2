/** The rules of docs/STYLE.md that a program can check, as a rule of textlint. */
import type { AnyTxtNode } from "@textlint/ast-node-types";
import type { TextlintRuleReporter } from "@textlint/types";
import { turns } from "./turns.ts";

/** The most words that a sentence may have. */
export const mostWords = 28;

/** Reports long sentences, and turns of phrase that the style rules out. */
export const plainSentences: TextlintRuleReporter = (context) => {
  const check = (node: AnyTxtNode) => {
    for (const sentence of sentencesOf(flatText(node))) {
      for (const fault of faultsOf(sentence)) {
        context.report(node, new context.RuleError(`${fault}: ${shortened(sentence)}`));
      }
    }
  };
  return { Paragraph: check, Header: check, TableCell: check };
};

/** Lists the faults of a sentence. Each piece of code in it is the word `X`. */
export function faultsOf(sentence: string): string[] {
  const words = sentence.match(/[\p{L}\p{N}][\p{L}\p{N}'’.:/_-]*/gu)?.length ?? 0;
  const long = words > mostWords ? [`${words} words, more than ${mostWords}`] : [];
  const breaches = turns.flatMap(({ pattern, instead }) => {
    const turn = pattern.exec(sentence)?.[0];
    return turn === undefined ? [] : [`"${turn.trim()}" (instead: ${instead})`];
  });
  return [...long, ...breaches];
}

/** A node without its marks, as one line. */
function flatText(node: AnyTxtNode): string {
  if (node.type === "Code") return "X";
  // Text that is struck out is an example of what not to write.
  if (["Html", "Image", "Break", "Delete"].includes(node.type)) return " ";
  if ("children" in node) return node.children.map(flatText).join("");
  return "value" in node && typeof node.value === "string" ? node.value.replace(/\s+/g, " ") : "";
}

const segmenter = new Intl.Segmenter("en", { granularity: "sentence" });

function sentencesOf(text: string): string[] {
  // The segmenter takes the point of an abbreviation for the end of a sentence.
  return [...segmenter.segment(text.replace(/\b(e\.g|i\.e|etc|vs|cf)\./g, "$1"))].map(
    ({ segment }) => segment.trim(),
  );
}

const shortened = (text: string) => (text.length > 120 ? `${text.slice(0, 117)}…` : text);
