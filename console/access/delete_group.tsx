/** The dialog that deletes a group. The platform refuses that while the group contains something. */
import { Link, useLocation } from "wouter-preact";
import { FailedPrecondition, type Group } from "../../client/index.ts";
import { useClient } from "../data/platform.tsx";
import { useRefresh } from "../data/refresh.ts";
import { parentOf } from "../data/uids.ts";
import { CopyLine } from "../elements/copy.tsx";
import { ConfirmDialog } from "../elements/dialog.tsx";
import { addresses } from "../frame/addresses.ts";

/** The pages with each kind of resource that keeps a group, named as in the error. */
const pages: Record<string, (group: string) => string> = {
  groups: (group) => addresses.access(group),
  repos: (group) => addresses.repositories(group),
  identities: (group) => addresses.identities(group),
  roles: (group) => addresses.roles(group),
  "group invites": (group) => addresses.invites(group),
  "identity providers": (group) => addresses.identityProviders(group),
  "account associations": (group) => addresses.accountAssociations(group),
  "tag rules": (group) => addresses.access(group, { view: "rules" }),
  subscriptions: (group) => addresses.subscriptions(group),
};

/** Deletes the group, and then shows the one above. */
export function DeleteGroupDialog({ group, onClose }: { group: Group; onClose: () => void }) {
  const client = useClient();
  const [, navigate] = useLocation();
  const { refresh, notify } = useRefresh(["groups"]);
  return (
    <ConfirmDialog
      title={`Delete ${group.name}`}
      action="Delete"
      expected={group.name}
      run={async () => {
        await client.groups.delete(group.uid);
        navigate(addresses.access(parentOf(group.uid) || undefined));
        notify({ text: `Deleted ${group.name}.` });
        void refresh();
      }}
      refused={(error) => {
        const kinds = blockingKinds(error);
        return kinds.length > 0 && <InTheWay group={group} kinds={kinds} onLeave={onClose} />;
      }}
      onClose={onClose}
    >
      <p>
        You cannot undo this. Everyone who has a role only on this group loses their access to it.
      </p>
    </ConfirmDialog>
  );
}

/** The kinds of resources that keep the group, as the error names them. */
function blockingKinds(error: Error): string[] {
  if (!(error instanceof FailedPrecondition)) return [];
  return error.violations.flatMap(({ type, description }) =>
    type === "RESOURCE_NOT_EMPTY" ? (/with child (.+)$/.exec(description)?.[1] ?? []) : [],
  );
}

interface InTheWayProps {
  group: Group;
  kinds: readonly string[];
  onLeave: () => void;
}

function InTheWay({ group, kinds, onLeave }: InTheWayProps) {
  return (
    <div class="error-notice" role="alert">
      <p class="error-message">The group is not empty. These are in the way:</p>
      <ul>
        {kinds.map((kind) => {
          const address = pages[kind]?.(group.uid);
          const text = kind === "repos" ? "repositories" : kind;
          return (
            <li key={kind}>
              {address ? (
                <Link href={address} onClick={onLeave}>
                  {text}
                </Link>
              ) : (
                text
              )}
            </li>
          );
        })}
      </ul>
      <p>Delete them first. To delete the group with everything in it, use the command line:</p>
      <CopyLine text={`platformctl delete group ${group.uid} --recursive`} what="command" />
    </div>
  );
}
