/** The tag rules of a group or a repository, and of the groups above it. */
import { useQuery } from "@tanstack/preact-query";
import type { Client, TagRule } from "../../client/index.ts";
import { useClient } from "../data/platform.tsx";
import { parentOf, pathOf } from "../data/uids.ts";

/** The beginning of the keys of everything that a change of a rule changes. */
export const rulesKey = ["tagRules"];

/** A group or a repository that can have rules. */
export interface RuleScope {
  uid: string;
  name: string;
  kind: "group" | "repository";
}

/** The rules that count on a scope, as far as the person can see them. */
export interface RulesAround {
  /** Those of the nearest scope come first. Within a scope they are in the order of their names. */
  rules: readonly TagRule[];
  /** The uids of the groups above whose rules the person cannot see. */
  hidden: readonly string[];
  /** Whether the person can see the rules of the scope itself. */
  sees: boolean;
}

export function useRules({ uid }: RuleScope) {
  const client = useClient();
  return useQuery({
    queryKey: [...rulesKey, "around", uid],
    queryFn: () => readRules(client, uid),
  });
}

async function readRules(client: Client, scope: string): Promise<RulesAround> {
  const path = pathOf(scope).toReversed();
  const { permissions = [] } = await client.access.testPermissions({
    resourceUids: path,
    capabilities: ["CAP_REGISTRY_TAG_RULE_LIST"],
  });
  const hidden = permissions.flatMap(({ resourceUid = "", capabilities = [] }) =>
    capabilities.length === 0 ? [resourceUid] : [],
  );
  const lists = path
    .filter((uid) => !hidden.includes(uid))
    .map((childrenOf) => client.tagRules.list({ childrenOf, pageSize: 200 }).all());
  const rules = (await Promise.all(lists)).map((ofScope) =>
    ofScope.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  );
  return {
    rules: rules.flat(),
    hidden: hidden.filter((uid) => uid !== scope),
    sees: !hidden.includes(scope),
  };
}

/** Whether the rule belongs to the scope itself, and not to a group above it. */
export const isOwn = (rule: TagRule, scope: RuleScope): boolean => parentOf(rule.uid) === scope.uid;
