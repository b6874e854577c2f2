/** The settings of a repository. */
import { useState } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import type { Repo } from "../../client/index.ts";
import { useMay } from "../data/may.ts";
import { refusalOf } from "../data/refusals.ts";
import { rootOf } from "../data/uids.ts";
import { Button } from "../elements/button.tsx";
import { Uid } from "../elements/copy.tsx";
import { Facts, Section } from "../elements/page.tsx";
import { Time } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";
import { DeleteRepositoryDialog } from "./delete_repository.tsx";
import { GeneralForm } from "./general_form.tsx";
import { LabelsForm } from "./labels_form.tsx";
import { OverlayForm } from "./overlay_form.tsx";
import { SettingsFacts } from "./settings_facts.tsx";
import { SyncForm } from "./sync_form.tsx";
import { UpstreamFacts } from "./upstream_facts.tsx";

export function SettingsView({ repo }: { repo: Repo }) {
  const permissions = useMay(repo.uid);
  const target = "this repository";
  const refusal = refusalOf(permissions, target, "CAP_REPO_UPDATE");
  return (
    <div class="repositories-settings">
      {refusal ? (
        <SettingsFacts repo={repo} refusal={refusal} />
      ) : (
        <>
          <GeneralForm repo={repo} />
          <LabelsForm repo={repo} />
          <SyncForm repo={repo} />
          <OverlayForm repo={repo} />
        </>
      )}
      <UpstreamFacts repo={repo} />
      <AccessSection repo={repo} />
      <DeletionSection repo={repo} refusal={refusalOf(permissions, target, "CAP_REPO_DELETE")} />
    </div>
  );
}

function AccessSection({ repo: { uid, createTime } }: { repo: Repo }) {
  return (
    <Section title="Access">
      <p>
        Roles on this repository, on its group and on the groups above apply here.{" "}
        <Link href={addresses.repository(uid, "access")}>See who has access</Link>
      </p>
      <Facts
        facts={[
          ["Uid", <Uid key="uid" uid={uid} />],
          ["Created", <Time key="created" time={createTime} />],
        ]}
      />
    </Section>
  );
}

function DeletionSection({ repo, refusal }: { repo: Repo; refusal: string | undefined }) {
  const [, navigate] = useLocation();
  const [isOpen, setOpen] = useState(false);
  return (
    <Section title="Delete this repository">
      <div class="repositories-deletion">
        <p>Deletes its tags, images, SBOMs and vulnerability reports. You cannot undo this.</p>
        <Button kind="danger" refusal={refusal} onClick={() => setOpen(true)}>
          Delete
        </Button>
      </div>
      {isOpen && (
        <DeleteRepositoryDialog
          repo={repo}
          onClose={() => setOpen(false)}
          onDeleted={() => navigate(addresses.repositories(rootOf(repo.uid)))}
        />
      )}
    </Section>
  );
}
