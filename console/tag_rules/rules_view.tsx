/** The view of a group or a repository that shows the tag rules that count there. */
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import type { TagRule } from "../../client/index.ts";
import { type Permissions, useMay } from "../data/may.ts";
import { refusalOf } from "../data/refusals.ts";
import { parentOf } from "../data/uids.ts";
import { Button } from "../elements/button.tsx";
import { Icon } from "../elements/icon.tsx";
import { Menu } from "../elements/menu.tsx";
import { Name } from "../elements/name.tsx";
import { Section } from "../elements/page.tsx";
import { Answer, Empty } from "../elements/states.tsx";
import { Time } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";
import { DeleteRuleDialog } from "./delete_rule.tsx";
import { RuleDialog } from "./rule_dialog.tsx";
import { isOwn, type RuleScope, type RulesAround, useRules } from "./use_rules.ts";
import { RuleText } from "./words.tsx";

/** The action of the person, on a rule that exists. */
type Task = { kind: "create" } | { kind: "edit" | "delete"; rule: TagRule };

export function RulesView({ scope }: { scope: RuleScope }) {
  const permissions = useMay(scope.uid);
  const query = useRules(scope);
  const [task, setTask] = useState<Task>();
  const close = () => setTask(undefined);
  const unseen = refusalOf(permissions, scope.name, "CAP_REGISTRY_TAG_RULE_LIST");
  return (
    <div class="tag-rules">
      <div class="toolbar tag-rules-head">
        <p>
          A rule keeps tags, which means that it says when they can change. Or it chooses the image
          that a pull gets, or makes tags and images expire. Of the rules that match a tag, those of
          the nearest scope count.
        </p>
        <Button
          kind="primary"
          refusal={refusalOf(permissions, scope.name, "CAP_REGISTRY_TAG_RULE_CREATE")}
          onClick={() => setTask({ kind: "create" })}
        >
          New rule
        </Button>
      </div>
      {unseen ? (
        <Empty title="You cannot see these rules">
          <p>{unseen}</p>
        </Empty>
      ) : (
        <Answer query={query}>
          {(around) => (
            <RuleList around={around} scope={scope} permissions={permissions} open={setTask} />
          )}
        </Answer>
      )}
      {task?.kind === "create" && <RuleDialog scope={scope} onClose={close} />}
      {task?.kind === "edit" && <RuleDialog scope={scope} rule={task.rule} onClose={close} />}
      {task?.kind === "delete" && (
        <DeleteRuleDialog scope={scope} rule={task.rule} onClose={close} />
      )}
    </div>
  );
}

interface RuleListProps {
  around: RulesAround;
  scope: RuleScope;
  permissions: Permissions;
  open: (task: Task) => void;
}

function RuleList({ around: { rules, hidden }, ...rest }: RuleListProps) {
  return (
    <>
      {rules.map((rule) => (
        <RuleCard key={rule.uid} rule={rule} {...rest} />
      ))}
      {rules.length === 0 && (
        <Empty title="No tag rule counts here">
          <p>
            Everyone who may write tags can move and delete them. A pull gets the image that the tag
            points to.
          </p>
        </Empty>
      )}
      {hidden.length > 0 && (
        <p class="pale">
          You cannot see the rules of {hidden.length === 1 ? "a group" : `${hidden.length} groups`}{" "}
          above. They can count here too.
        </p>
      )}
    </>
  );
}

interface RuleCardProps extends Omit<RuleListProps, "around"> {
  rule: TagRule;
}

function RuleCard({ rule, scope, permissions, open }: RuleCardProps) {
  const { name, description, updateTime } = rule;
  return (
    <Section
      title={name}
      actions={
        isOwn(rule, scope) && (
          <Menu
            quiet
            label={`Actions for ${name}`}
            actions={[
              {
                text: "Edit",
                refusal: refusalOf(permissions, scope.name, "CAP_REGISTRY_TAG_RULE_UPDATE"),
                run: () => open({ kind: "edit", rule }),
              },
              {
                text: "Delete",
                danger: true,
                refusal: refusalOf(permissions, scope.name, "CAP_REGISTRY_TAG_RULE_DELETE"),
                run: () => open({ kind: "delete", rule }),
              },
            ]}
          >
            <Icon name="more" />
          </Menu>
        )
      }
    >
      <p>
        <RuleText rule={rule} />
      </p>
      {description && (
        <p>
          <bdi>{description}</bdi>
        </p>
      )}
      <p class="pale">
        Of <ScopeLink rule={rule} scope={scope} />. In this form since <Time time={updateTime} />.
      </p>
    </Section>
  );
}

function ScopeLink({ rule, scope }: { rule: TagRule; scope: RuleScope }) {
  if (isOwn(rule, scope)) return <>this {scope.kind}</>;
  const uid = parentOf(rule.uid);
  return (
    <>
      the group{" "}
      <Link href={addresses.access(uid, { view: "rules" })}>
        <Name kind="groups" uid={uid} />
      </Link>
    </>
  );
}
