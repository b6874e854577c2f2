/** The account association of one group: its accounts, and whether the links work. */
import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import type { AccountAssociation } from "../../client/index.ts";
import { unlessMissing } from "../data/errors.ts";
import { useGroup } from "../data/group.ts";
import { useMay } from "../data/may.ts";
import { useParameters } from "../data/parameters.ts";
import { useClient } from "../data/platform.tsx";
import { useRefresh } from "../data/refresh.ts";
import { refusalOf } from "../data/refusals.ts";
import { rootOf } from "../data/uids.ts";
import { Button } from "../elements/button.tsx";
import { ConfirmDialog } from "../elements/dialog.tsx";
import { Page } from "../elements/page.tsx";
import { PageAnswer } from "../elements/page_answer.tsx";
import { Empty } from "../elements/states.tsx";
import { addresses } from "../frame/addresses.ts";
import type { PageProps } from "../frame/lazy_page.tsx";
import { capabilities } from "./capabilities.ts";
import { EditAssociation } from "./edit_association.tsx";
import { LinkSections } from "./link_sections.tsx";

export default function Association({ rest: uid }: PageProps) {
  const client = useClient();
  const { get } = useParameters();
  const { data: group } = useGroup(uid);
  const query = useQuery<AccountAssociation | null>({
    queryKey: ["accountAssociations", uid],
    queryFn: () => unlessMissing(client.accountAssociations.get(uid)),
  });
  const groupName = group?.name ?? "";
  return (
    <PageAnswer
      query={query}
      title="Account association"
      path={[["Account associations", addresses.accountAssociations(rootOf(uid))]]}
    >
      {(association) =>
        get("view") === "edit" ? (
          <EditAssociation uid={uid} groupName={groupName} association={association} />
        ) : (
          <AssociationPage uid={uid} groupName={groupName} association={association} />
        )
      }
    </PageAnswer>
  );
}

interface AssociationProps {
  /** The uid of the group. */
  uid: string;
  /** The name of the group. */
  groupName: string;
  /** Null if the group is not linked to accounts. */
  association: AccountAssociation | null;
}

function AssociationPage({ uid, groupName, association }: AssociationProps) {
  const [, navigate] = useLocation();
  const permissions = useMay(uid);
  const [isDeleting, setDeleting] = useState(false);
  return (
    <Page
      title={association ? `Accounts of ${groupName}` : `Accounts of ${groupName}: none`}
      path={[["Account associations", addresses.accountAssociations(rootOf(uid))]]}
      lead={association && (association.description || association.name)}
      actions={
        <>
          <Button
            kind={association ? "plain" : "primary"}
            refusal={refusalOf(
              permissions,
              groupName,
              ...capabilities[association ? "update" : "create"],
            )}
            onClick={() => navigate(addresses.accountAssociation(uid, "edit"))}
          >
            {association ? "Edit" : "Link accounts"}
          </Button>
          {association && (
            <Button
              kind="danger"
              refusal={refusalOf(permissions, groupName, ...capabilities.delete)}
              onClick={() => setDeleting(true)}
            >
              Delete
            </Button>
          )}
        </>
      }
    >
      {association ? (
        <LinkSections association={association} />
      ) : (
        <Empty title="This group is not linked to accounts">
          <p>
            Services of the operator cannot act in your accounts.{" "}
            <a href="/docs/clouds">The guide</a> shows how to link them.
          </p>
        </Empty>
      )}
      {isDeleting && (
        <DeleteDialog uid={uid} groupName={groupName} onClose={() => setDeleting(false)} />
      )}
    </Page>
  );
}

function DeleteDialog({
  uid,
  groupName,
  onClose,
}: {
  uid: string;
  groupName: string;
  onClose: () => void;
}) {
  const client = useClient();
  const { refresh, notify } = useRefresh(["accountAssociations"]);
  return (
    <ConfirmDialog
      title="Delete the account association"
      action="Delete"
      run={async () => {
        await client.accountAssociations.delete(uid);
        notify({ text: `Unlinked the accounts of ${groupName}.` });
        await refresh();
      }}
      onClose={onClose}
    >
      <p class="account-associations-text">
        All accounts of <bdi>{groupName}</bdi> are unlinked. Services of the operator can no longer
        act in them. The trust at the providers stays until you remove it there.
      </p>
    </ConfirmDialog>
  );
}
