/** `platformctl rules`: shows what tag rules decide, and lets tags and images expire by them. */
import type { Command } from "commander";
import { withExamples } from "./answer.ts";
import { addRulesCarryOut } from "./rules_carry_out.ts";
import { addRulesCheck } from "./rules_check.ts";
import { addRulesPlan, addRulesShow } from "./rules_plan.ts";
import { addRulesPlans } from "./rules_plans.ts";
import { addRulesPreview } from "./rules_preview.ts";

/** Adds `rules` with its commands: those about rules, and then those about expiry plans. */
export function addRules(program: Command): void {
  const rules = withExamples(
    program
      .command("rules")
      .summary("Show what tag rules decide, and let old tags expire.")
      .description(
        "Show what tag rules decide, and let old tags expire.\n\n" +
          "To list, create and delete tag rules, use the commands for resources, such as\n" +
          "platformctl list tag-rules.",
      ),
    "platformctl rules check acme.example/python:3.12 --delete",
    "platformctl rules preview releases.yaml",
    "platformctl rules plan acme.example/python",
  );
  addRulesCheck(rules);
  addRulesPreview(rules);
  addRulesPlan(rules);
  addRulesPlans(rules);
  addRulesShow(rules);
  addRulesCarryOut(rules);
}
