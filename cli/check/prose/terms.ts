/** Whether each page of the guides explains the words of the project, as a rule of textlint. */
import type { AnyTxtNode } from "@textlint/ast-node-types";
import type { TextlintRuleReporter } from "@textlint/types";

/** The terms of the first part of the glossary, in lower case: words that no other project uses in this way. */
export const termsOf = (glossary: string) =>
  [...(glossary.split(/^## /m)[1] ?? "").matchAll(/^### (.+)$/gm)].map(([, title = ""]) =>
    title.toLowerCase(),
  );

/**
 * Reports the first use of each term on a page, unless it links to the glossary or is in bold. A page puts a term in
 * bold where it explains the term itself.
 */
export const explainedTerms =
  (terms: string[]): TextlintRuleReporter =>
  (context) => {
    const unmet = new Map(terms.map((term) => [term, new RegExp(`\\b${term}s?\\b`, "i")]));
    const read = (node: AnyTxtNode & { value?: unknown }, isExplained: boolean) => {
      for (const [term, pattern] of unmet) {
        if (!pattern.test(String(node.value))) continue;
        unmet.delete(term);
        if (!isExplained) context.report(node, new context.RuleError(notExplained(term)));
      }
    };
    const visit = (node: AnyTxtNode, isExplained: boolean): void => {
      if (["Code", "CodeBlock", "Header"].includes(node.type)) return;
      if (node.type === "Str") read(node, isExplained);
      if (!("children" in node)) return;
      for (const child of node.children) visit(child, isExplained || explains(node));
    };
    return { Document: (node) => visit(node, false) };
  };

const notExplained = (term: string) =>
  `"${term}" is not explained at its first use: link it to the glossary, or explain it and put it in bold`;

const explains = (node: AnyTxtNode & { url?: unknown }) =>
  node.type === "Strong" || (node.type === "Link" && /glossary\.md#/.test(String(node.url)));
