/** The dialog that creates or changes a tag rule. It can show what the rule would do before it is saved. */
import { useState } from "preact/hooks";
import type { TagRule, TagRuleInput } from "../../client/index.ts";
import { useChange } from "../data/change.ts";
import { useMay } from "../data/may.ts";
import { useClient } from "../data/platform.tsx";
import { refusalOf } from "../data/refusals.ts";
import { parentOf } from "../data/uids.ts";
import { useUnchanged } from "../data/unchanged.ts";
import { Button } from "../elements/button.tsx";
import { TextField, violationOf } from "../elements/fields.tsx";
import { FormDialog } from "../elements/form_dialog.tsx";
import { NamingFields } from "../elements/naming_fields.tsx";
import { ConditionFields } from "./condition_fields.tsx";
import { draftOf, inputOf, isUntagged, kindOf, type RuleDraft, type RuleKind } from "./draft.ts";
import { expireFields } from "./expire_fields.tsx";
import type { DraftFieldsProps } from "./requirement_fields.tsx";
import { RulePreview } from "./rule_preview.tsx";
import { type RuleScope, rulesKey } from "./use_rules.ts";

/** Everything that a person can change, without the kind. */
const plainFields = [
  ...["name", "description", "include_repos", "exclude_repos", "include_tags", "exclude_tags"],
];

/** The mask clears what the form leaves out. A kind replaces the other one. */
const maskOf = (input: TagRuleInput) => [...plainFields, kindOf(input)];

/** The fields that show what the platform says about them. */
const shown = [
  ...plainFields,
  ...["serve.cooldown_hours", "serve.exempt_role_uid", "serve.requirement"],
  ...["keep.forward", "keep.role_uid", "promotion.from", "promotion.hours", "keep.requirement"],
  ...expireFields,
  "expire",
];

interface DialogProps {
  scope: RuleScope;
  /** The rule to change. Without one, the dialog creates one. */
  rule?: TagRule;
  /** The kind that a new rule begins with. */
  kind?: RuleKind;
  onClose: () => void;
}

export function RuleDialog({ scope, rule, kind = "keep", onClose }: DialogProps) {
  const [draft, setDraft] = useState(() => (rule ? draftOf(rule) : { ...draftOf(), kind }));
  const edit = (changed: Partial<RuleDraft>) => setDraft({ ...draft, ...changed });
  const [asked, ask] = useState<{ input: TagRuleInput; time: number }>();
  const [previewError, setPreviewError] = useState<Error | null>(null);
  const write = useWrite(scope, rule);
  const input = inputOf(draft);
  const change = useChange<TagRuleInput>({
    key: rulesKey,
    call: async (written) => {
      await write(written);
      onClose();
    },
    done: ({ name }) => `Saved the rule ${name}.`,
  });
  const error = change.error ?? previewError;
  const isAsked = asked !== undefined && isSame(asked.input, input);
  return (
    <FormDialog
      title={rule ? `Edit the rule ${rule.name}` : `New tag rule of ${scope.name}`}
      action={rule ? "Save" : "Create"}
      change={change}
      fields={shown}
      onSubmit={() => change.mutate(input)}
      onClose={onClose}
    >
      <RuleFields draft={draft} edit={edit} error={error} scope={scope} />
      <TryOut
        scope={scope}
        draft={draft}
        onAsk={() => {
          change.reset();
          setPreviewError(null);
          ask({ input, time: Date.now() });
        }}
      />
      {isAsked && (
        <RulePreview
          key={asked.time}
          scope={scope}
          asked={asked}
          fields={shown}
          onError={setPreviewError}
        />
      )}
    </FormDialog>
  );
}

interface TryOutProps {
  scope: RuleScope;
  draft: RuleDraft;
  onAsk: () => void;
}

/** How the person sees the effect of the rule before it counts. */
function TryOut({ scope, draft, onAsk }: TryOutProps) {
  const permissions = useMay(scope.uid);
  if (draft.kind === "expire")
    return (
      <p class="hint">
        The rule alone deletes nothing{draft.daily && ", but the plans of each day do"}. In the view
        Expiry of a repository, a plan lists what expires.
      </p>
    );
  return (
    <Button
      refusal={refusalOf(permissions, scope.name, "CAP_REGISTRY_TAG_RULE_LIST", "CAP_TAG_LIST")}
      onClick={onAsk}
    >
      What it would do
    </Button>
  );
}

const isSame = (one: TagRuleInput, other: TagRuleInput) =>
  JSON.stringify(one) === JSON.stringify(other);

const noRule: TagRule = { uid: "", name: "", createTime: "", updateTime: "" };

/** The call that creates or changes the rule. */
function useWrite(scope: RuleScope, rule: TagRule | undefined) {
  const { tagRules } = useClient();
  const unchanged = useUnchanged<TagRule>(rule ?? noRule, (uid) => tagRules.get(uid));
  return (input: TagRuleInput) =>
    rule
      ? unchanged((options) =>
          tagRules.update(rule.uid, input, { ...options, updateMask: maskOf(input) }),
        )
      : tagRules.create(scope.uid, input);
}

function RuleFields({ draft, edit, error, scope }: DraftFieldsProps & { scope: RuleScope }) {
  const isGroup = scope.kind === "group";
  // A label of an image has a name too.
  const ofLabel = violationOf(error, "label.name");
  return (
    <>
      <NamingFields naming={draft} onChange={edit} error={ofLabel ? null : error} />
      {!isUntagged(draft) && <PatternFields noun="Tags" part="Tags" {...{ draft, edit, error }} />}
      {isGroup && <PatternFields noun="Repositories" part="Repos" {...{ draft, edit, error }} />}
      <ConditionFields
        {...{ draft, edit, error }}
        group={isGroup ? scope.uid : parentOf(scope.uid)}
      />
    </>
  );
}

interface PatternFieldsProps extends DraftFieldsProps {
  noun: "Tags" | "Repositories";
  part: "Tags" | "Repos";
}

/** The fields for the names that the rule matches, and for those among them that it does not match. */
function PatternFields({ noun, part, draft, edit, error }: PatternFieldsProps) {
  const field = part.toLowerCase();
  const example = part === "Tags" ? "v* or latest" : "prod-* or shop";
  return (
    <>
      <TextField
        label={noun}
        value={draft[`include${part}`]}
        onInput={(text) => edit({ [`include${part}`]: text })}
        hint={`Names or patterns, such as ${example}, with spaces between them. Empty for all.`}
        error={violationOf(error, `include_${field}`)}
      />
      <TextField
        label={`Except the ${noun.toLowerCase()}`}
        value={draft[`exclude${part}`]}
        onInput={(text) => edit({ [`exclude${part}`]: text })}
        error={violationOf(error, `exclude_${field}`)}
      />
    </>
  );
}
