/** The lines in which the platform says that a tag rule refuses a change. */
import { FailedPrecondition } from "../../client/index.ts";
import { parentOf } from "../data/uids.ts";
import { addresses } from "../frame/addresses.ts";

/** The parts of the line about a refusal. */
export interface RuleRefusal {
  /** The name of the rule. Empty if the line has another form. */
  rule: string;
  /** Why the rule refuses the change. */
  why: string;
  /** The uid of the rule. */
  uid: string;
}

const line =
  /^the rule "(.+?)" of .+? (?:keeps .+? since \d{4}-\d{2}-\d{2}|holds .+? back): (.+?)(?:; see \S+ .*)?$/s;

/**
 * Reads the line of a refusal, or of a rule that holds an image back, such as that of CheckTag. A line of another form is
 * the reason.
 */
export function readRefusal(text: string, uid: string): RuleRefusal {
  const [, rule = "", why = text] = line.exec(text) ?? [];
  return { rule, why, uid };
}

/** The refusals of tag rules in an error, without the command that shows the rule. Empty for another error. */
export function refusalsIn(error: Error): { text: string; uid: string }[] {
  if (!(error instanceof FailedPrecondition)) return [];
  return error.violations.flatMap(({ type, subject, description }) =>
    type === "TAG_RULE"
      ? { text: description.replace(/; see platformctl .*$/s, ""), uid: subject }
      : [],
  );
}

/** The address of the page with a rule that counts on the repository. */
export function ruleAddress(uid: string, repo: string): string {
  const scope = parentOf(uid);
  return scope === repo
    ? addresses.repository(repo, "rules")
    : addresses.access(scope, { view: "rules" });
}
