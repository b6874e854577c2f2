/** `platformctl rules`: shows what tag rules decide, and what a new one would change. */
import type { Command } from "commander";
import { withExamples } from "./answer.ts";
import { addRulesCheck } from "./rules_check.ts";
import { addRulesPreview } from "./rules_preview.ts";

/** Adds `rules check` and `rules preview`. */
export function addRules(program: Command): void {
  const rules = withExamples(
    program
      .command("rules")
      .summary("Show what tag rules decide, and what a new rule would change.")
      .description(
        "Show what tag rules decide, and what a new rule would change.\n\n" +
          "To list, create and delete tag rules, use the commands for resources, such as\n" +
          "platformctl list tag-rules.",
      ),
    "platformctl rules check example.com/python:3.12 --delete",
    "platformctl rules preview releases.yaml",
  );
  addRulesCheck(rules);
  addRulesPreview(rules);
}
