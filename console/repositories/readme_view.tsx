/** The readme of a repository, and its editor. */
import { useQuery } from "@tanstack/preact-query";
import type { Repo, RepoReadme } from "../../client/index.ts";
import { useMay } from "../data/may.ts";
import { useParameters } from "../data/parameters.ts";
import { useClient } from "../data/platform.tsx";
import { refusalOf } from "../data/refusals.ts";
import { Button } from "../elements/button.tsx";
import { Answer, Empty } from "../elements/states.tsx";
import { Time } from "../elements/time.tsx";
import { Readme } from "./readme.tsx";
import { ReadmeEditor } from "./readme_editor.tsx";

export function ReadmeView({ repo: { uid } }: { repo: Repo }) {
  const client = useClient();
  const { isOn, set } = useParameters();
  const permissions = useMay(uid);
  const readme = useQuery({
    queryKey: ["repos", uid, "readme"],
    queryFn: () => client.repos.getRepoReadme({ uid, view: "REPO_README_VIEW_FULL" }),
  });
  const refusal = refusalOf(
    permissions,
    "this repository",
    "CAP_REPO_UPDATE",
    "CAP_REPO_INTERNAL_ADMIN",
  );
  const mayEdit = permissions.may("CAP_REPO_UPDATE") && permissions.may("CAP_REPO_INTERNAL_ADMIN");
  const isEditing = isOn("edit") && mayEdit === true;
  const edit = (next: boolean) => set({ edit: next ? "1" : "" }, { push: true });
  return (
    <Answer query={readme} lines={8}>
      {(loaded) =>
        isEditing ? (
          <ReadmeEditor repoUid={uid} content={loaded.content ?? ""} onClose={() => edit(false)} />
        ) : (
          <Shown readme={loaded} refusal={refusal} onEdit={() => edit(true)} />
        )
      }
    </Answer>
  );
}

function Shown({
  readme: { content = "", html = "", updateTime },
  refusal,
  onEdit,
}: {
  readme: RepoReadme;
  refusal: string | undefined;
  onEdit: () => void;
}) {
  const button = (
    <Button refusal={refusal} onClick={onEdit}>
      {content === "" ? "Write a readme" : "Edit"}
    </Button>
  );
  if (content === "")
    return (
      <Empty title="There is no readme yet">
        <p>A readme says what the images are for, and how to use them.</p>
        {button}
      </Empty>
    );
  return (
    <>
      <div class="toolbar repositories-readme-bar">
        <span class="pale">
          Changed <Time time={updateTime} />
        </span>
        {button}
      </div>
      {html === "" ? <Source content={content} /> : <Readme html={html} />}
    </>
  );
}

/** A readme that is older than a rule that it breaks. */
function Source({ content }: { content: string }) {
  return (
    <>
      <p class="repositories-note">
        The platform does not render this readme, because it breaks a rule that is newer than it.
        This is its source.
      </p>
      <pre class="repositories-source" dir="auto">
        {content}
      </pre>
    </>
  );
}
