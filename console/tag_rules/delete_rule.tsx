/** The dialog that deletes a tag rule. */
import type { TagRule } from "../../client/index.ts";
import { useClient } from "../data/platform.tsx";
import { useRefresh } from "../data/refresh.ts";
import { writeUnchanged } from "../data/unchanged.ts";
import { ConfirmDialog } from "../elements/dialog.tsx";
import { draftOf, inputOf } from "./draft.ts";
import { Matches } from "./matches.tsx";
import { type RuleScope, rulesKey } from "./use_rules.ts";

interface DialogProps {
  scope: RuleScope;
  rule: TagRule;
  onClose: () => void;
}

export function DeleteRuleDialog({ scope, rule, onClose }: DialogProps) {
  const client = useClient();
  const { refresh, notify } = useRefresh(rulesKey);
  const undo = () => client.tagRules.create(scope.uid, inputOf(draftOf(rule))).finally(refresh);
  return (
    <ConfirmDialog
      title={`Delete the rule ${rule.name}`}
      action="Delete"
      run={async () => {
        await writeUnchanged<TagRule, unknown>(client, rule, {
          read: (uid) => client.tagRules.get(uid),
          write: (options) => client.tagRules.delete(rule.uid, options),
        });
        notify({ text: `Deleted the rule ${rule.name}.`, undo });
        void refresh();
      }}
      onClose={onClose}
    >
      <p>
        <Effect rule={rule} /> If rules of a group above match these tags, those count instead.
      </p>
    </ConfirmDialog>
  );
}

/** The effect of the deletion. */
function Effect({ rule }: { rule: TagRule }) {
  if (rule.serve)
    return (
      <>
        From then on, pulls of <Matches rule={rule} /> get the image that the tag points to.
      </>
    );
  if (rule.expire) return <>From then on, nothing expires by it, and plans leave it alone.</>;
  return (
    <>
      From then on, it no longer keeps <Matches rule={rule} />.
    </>
  );
}
