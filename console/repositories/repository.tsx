/** One repository: its tags, its readme, its activity, its tag rules, its expiry plans, its access and its settings. */
import { useQuery } from "@tanstack/preact-query";
import { NotFound, type Repo } from "../../client/index.ts";
import { Holdings } from "../access/holdings.tsx";
import { useClient } from "../data/platform.tsx";
import { rootOf } from "../data/uids.ts";
import { useAfterPaint } from "../elements/after_paint.ts";
import { Page, Views } from "../elements/page.tsx";
import { PageAnswer } from "../elements/page_answer.tsx";
import { PlansView } from "../expiry_plans/plans_view.tsx";
import { addresses } from "../frame/addresses.ts";
import type { PageProps } from "../frame/lazy_page.tsx";
import { RulesView } from "../tag_rules/rules_view.tsx";
import { ActivityView } from "./activity_view.tsx";
import { ReadmeView } from "./readme_view.tsx";
import { SettingsView } from "./settings_view.tsx";
import { TagsView } from "./tags_view.tsx";

const views = [
  ["tags", "Tags"],
  ["readme", "Readme"],
  ["activity", "Activity"],
  ["rules", "Rules"],
  ["expiry", "Expiry"],
  ["access", "Access"],
  ["settings", "Settings"],
] as const;

type View = (typeof views)[number][0];

/** The uid and the view of the rest of the address, such as `45a0…/da4b…/settings`. */
function readRest(rest: string): { uid: string; view: View } {
  const steps = rest.split("/");
  const named = views.find(([view]) => view !== "tags" && view === steps.at(-1));
  return named
    ? { uid: steps.slice(0, -1).join("/"), view: named[0] }
    : { uid: rest, view: "tags" };
}

const addressOf = (uid: string, view: View) =>
  addresses.repository(uid, view === "tags" ? undefined : view);

export default function Repository({ rest }: PageProps) {
  const client = useClient();
  const { uid, view } = readRest(rest);
  const repo = useQuery({ queryKey: ["repos", uid], queryFn: () => client.repos.get(uid) });
  if (repo.error instanceof NotFound && !repo.data) return <DeletedRepository uid={uid} />;
  return (
    <PageAnswer query={repo} title="Repository" path={breadcrumbs(uid)}>
      {(loaded) => <RepositoryPage key={uid} repo={loaded} view={view} />}
    </PageAnswer>
  );
}

const breadcrumbs = (uid: string) =>
  [["Repositories", addresses.repositories(rootOf(uid))]] as const;

function RepositoryPage({ repo, view }: { repo: Repo; view: View }) {
  const { uid, name, description } = repo;
  const shown = useAfterPaint(view);
  return (
    <Page
      title={name}
      path={breadcrumbs(uid)}
      lead={description ? <bdi>{description}</bdi> : undefined}
    >
      <Views
        label="Parts of the repository"
        current={addressOf(uid, view)}
        views={views.map(([key, text]) => [addressOf(uid, key), text])}
      />
      {shown === "tags" && <TagsView repo={repo} />}
      {shown === "readme" && <ReadmeView repo={repo} />}
      {shown === "activity" && <ActivityView repoUid={uid} />}
      {shown === "rules" && <RulesView scope={{ uid, name, kind: "repository" }} />}
      {shown === "expiry" && <PlansView repo={repo} />}
      {shown === "access" && <Holdings place={{ uid, name, kind: "repository" }} />}
      {shown === "settings" && <SettingsView repo={repo} />}
    </Page>
  );
}

/** The history of tags remains after their repository. */
function DeletedRepository({ uid }: { uid: string }) {
  return (
    <Page
      title="Repository not found"
      path={breadcrumbs(uid)}
      lead="It was deleted, or the address is wrong. If it existed, this is the history of its tags."
    >
      <ActivityView repoUid={uid} />
    </Page>
  );
}
