/** Rules for tests of decisions. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { KeepRuleSchema } from "../../../schema/gen/platform/registry/v2/tag_rules_pb.js";
import type { Rule } from "../../../src/registry/tag_rules/decide.ts";

export type Condition = NonNullable<MessageInitShape<typeof KeepRuleSchema>["condition"]>;

/** A rule of a repository. It matches all tags, unless `more` says otherwise. */
export const ruleOf = (condition: Condition, more: Partial<Rule> = {}): Rule => ({
  uid: "o/r/1",
  name: "1",
  parent: "o/r",
  scope: "",
  updateTime: 0,
  includeRepos: [],
  excludeRepos: [],
  includeTags: [],
  excludeTags: [],
  keep: create(KeepRuleSchema, { condition }),
  role: "",
  ...more,
});
