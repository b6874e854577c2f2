/** Checks the prose of the project: pages, comments of protos, texts that people see, comments, titles of tests. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { TextlintKernel, type TextlintKernelRule } from "@textlint/kernel";
import type markdownPlugin from "@textlint/textlint-plugin-markdown";
import { documentOf } from "./document.ts";
import { codeProse, hashComments, type Passage, protoComments, sqlComments } from "./passages.ts";
import { plainSentences } from "./sentences.ts";
import { misspelled } from "./spelling.ts";
import { explainedTerms, termsOf } from "./terms.ts";

/** Complaints about the prose of these files, one line each. */
export async function proseBreaches(root: string, paths: string[]): Promise<string[]> {
  const terms = termsOf(readFileSync(join(root, glossary), "utf8"));
  const breaches: string[] = [];
  for (const path of paths) {
    const rules = isGuide(path)
      ? [...rulesOfAll, rule("terms", explainedTerms(terms))]
      : rulesOfAll;
    const { text, lineOf } = documentOf(passagesOf(path, readFileSync(join(root, path), "utf8")));
    const faults = [...(await lint(text, rules)), ...(await misspelled(text))];
    breaches.push(...faults.map(({ line, message }) => `${path}:${lineOf(line)}: ${message}`));
  }
  return breaches;
}

const glossary = "docs/guides/glossary.md";
const isGuide = (path: string) => path.startsWith("docs/guides/") && path !== glossary;

function passagesOf(path: string, source: string): Passage[] {
  if (path.endsWith(".md")) return [{ line: 1, text: source }];
  if (path.endsWith(".proto")) return protoComments(source);
  if (path.endsWith(".sql")) return sqlComments(source);
  if (/\.(?:toml|ya?ml|bash)$|\.ci\/run$/.test(path)) return hashComments(source);
  const { strings, comments } = codeProse(path, source);
  return [...comments, ...strings];
}

const kernel = new TextlintKernel();
// A CommonJS module, whose types describe it as an ES module.
const { default: markdown }: { default: typeof markdownPlugin } = createRequire(import.meta.url)(
  "@textlint/textlint-plugin-markdown",
);
const plugins = [{ pluginId: "markdown", plugin: markdown }];
const rule = (ruleId: string, reporter: TextlintKernelRule["rule"]) => ({ ruleId, rule: reporter });
const rulesOfAll = [rule("sentences", plainSentences)];

async function lint(
  text: string,
  rules: TextlintKernelRule[],
): Promise<{ line: number; message: string }[]> {
  const { messages } = await kernel.lintText(text, { ext: ".md", plugins, rules });
  return messages.map(({ message, loc }) => ({ line: loc.start.line, message }));
}
