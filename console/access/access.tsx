/** Groups and access: the groups of an organization, and who may do what on the selected one. */
import type { ComponentChildren } from "preact";
import type { Group } from "../../client/index.ts";
import { useCurrentGroup, useGroup, useOrganizations } from "../data/group.ts";
import { useMay } from "../data/may.ts";
import { useGroupPath } from "../data/names.ts";
import { useParameters } from "../data/parameters.ts";
import { refusalOf } from "../data/refusals.ts";
import { isAtOrAbove, pathOf } from "../data/uids.ts";
import { Badge } from "../elements/badge.tsx";
import { Button } from "../elements/button.tsx";
import { ErrorNotice } from "../elements/error_notice.tsx";
import { Page, Views } from "../elements/page.tsx";
import { Answer, Loading } from "../elements/states.tsx";
import { addresses } from "../frame/addresses.ts";
import { RulesView } from "../tag_rules/rules_view.tsx";
import { GroupSettings } from "./group_settings.tsx";
import { Holdings } from "./holdings.tsx";
import { NewGroupDialog } from "./new_group.tsx";
import { NoOrganization } from "./no_organization.tsx";
import { GroupTree, maxLevels } from "./tree.tsx";
import { Who } from "./who.tsx";
import { Why } from "./why.tsx";

export default function Access() {
  const { uid, isNone, error, retry } = useCurrentGroup();
  const query = useGroup(uid);
  const path = useBreadcrumbs(uid);
  const root = useTreeRoot(uid);
  const group = query.data;
  if (uid === "")
    return (
      <Page title="Groups and access">
        {isNone && <NoOrganization />}
        {error && <ErrorNotice error={error} retry={retry} />}
        {!isNone && !error && <Loading lines={6} />}
      </Page>
    );
  return (
    <Page
      title={group?.name ?? "Groups and access"}
      path={path}
      lead={group?.description}
      actions={group && <GroupActions group={group} />}
    >
      <div class="access-page">
        {root && <GroupTree root={root} selected={uid} />}
        <div class="access-content">
          <Answer query={query} lines={8}>
            {(shown) => <GroupViews group={shown} />}
          </Answer>
        </div>
      </div>
    </Page>
  );
}

/** The topmost group that the person can see above this one. */
function useTreeRoot(uid: string): Group | undefined {
  const { data: organizations = [] } = useOrganizations();
  const { data: group } = useGroup(uid);
  return organizations.find((organization) => isAtOrAbove(organization.uid, uid)) ?? group;
}

/** The groups above, as links. */
function useBreadcrumbs(uid: string): [string, string][] {
  const names = useGroupPath(uid);
  const above = pathOf(uid).slice(0, -1);
  return [
    ["Groups and access", addresses.access()],
    ...above.map((step, index): [string, string] => [names[index] ?? "", addresses.access(step)]),
  ];
}

function GroupActions({ group }: { group: Group }) {
  const { get, set } = useParameters();
  const permissions = useMay(group.uid);
  const isDeepest = pathOf(group.uid).length >= maxLevels;
  const isAllowed = permissions.may("CAP_IAM_GROUPS_CREATE") === true && !isDeepest;
  const refusal = isDeepest
    ? `Groups can be nested at most ${maxLevels - 1} levels below an organization.`
    : refusalOf(permissions, group.name, "CAP_IAM_GROUPS_CREATE");
  return (
    <>
      {group.verified && <Badge tone="good">Verified</Badge>}
      <Button refusal={refusal} onClick={() => set({ new: "group" })}>
        New group
      </Button>
      {get("new") === "group" && isAllowed && (
        <NewGroupDialog parent={group} onClose={() => set({ new: "" })} />
      )}
    </>
  );
}

const views: [string, string, (props: { group: Group }) => ComponentChildren][] = [
  ["", "Access", GroupHoldings],
  ["who", "Who can", Who],
  ["why", "Why", Why],
  ["rules", "Tag rules", GroupRules],
  ["group", "Settings", GroupSettings],
];

function GroupRules({ group: { uid, name } }: { group: Group }) {
  return <RulesView scope={{ uid, name, kind: "group" }} />;
}

function GroupHoldings({ group: { uid, name } }: { group: Group }) {
  return <Holdings place={{ uid, name, kind: "group" }} />;
}

function GroupViews({ group }: { group: Group }) {
  const { get } = useParameters();
  const view = get("view");
  const find = get("find");
  const View = views.find(([key]) => key === view)?.[2] ?? GroupHoldings;
  const address = (key: string) => addresses.access(group.uid, { view: key, find });
  return (
    <>
      <Views
        label={`Views of ${group.name}`}
        current={address(view)}
        views={views.map(([key, text]) => [address(key), text])}
      />
      <View key={group.uid} group={group} />
    </>
  );
}
