/** The answer to a question about access, with the names of groups instead of their uids. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { AccessExplanation, AccessFix, AccessMiss } from "../../client/index.ts";
import { parentOf } from "../data/uids.ts";
import { Badge } from "../elements/badge.tsx";
import { Button } from "../elements/button.tsx";
import { CapabilityNames } from "../elements/capabilities.tsx";
import { GroupPath } from "../elements/group_path.tsx";
import { BindRoleDialog } from "./bind_role.tsx";

interface ExplanationProps {
  uid: string;
  name: string;
  explanation: AccessExplanation;
}

export function Explanation({ uid, name, explanation }: ExplanationProps) {
  const { allowed, paths = [], capabilities = [], groupUid = "", miss, fix } = explanation;
  return (
    <div class="identities-answer" role="status">
      <p>
        <Badge tone={allowed ? "good" : "bad"}>{allowed ? "Yes" : "No"}</Badge> <bdi>{name}</bdi>{" "}
        {allowed ? "has" : "does not have"} <CapabilityNames values={capabilities} /> on{" "}
        <GroupPath uid={groupUid} />.
      </p>
      {paths.map(({ entry }) => (
        <p key={entry?.roleBindingUid ?? entry?.externalGroupRoleMappingUid}>
          The role <strong>{entry?.roleName}</strong> gives it,{" "}
          {entry?.externalGroupId ? (
            <>
              to members of <bdi>{entry.externalGroupId}</bdi>,{" "}
            </>
          ) : null}
          on <GroupPath uid={entry?.groupUid ?? ""} /> and everything below.
        </p>
      ))}
      {miss && <p>{missText(miss)}</p>}
      {fix && <Fix uid={uid} name={name} fix={fix} />}
    </div>
  );
}

function missText({ kind, entry }: AccessMiss): ComponentChildren {
  const where = entry?.groupUid ? <GroupPath uid={entry.groupUid} /> : null;
  const role = <strong>{entry?.roleName}</strong>;
  switch (kind) {
    case "KIND_ROLE_LACKS_CAPABILITY":
      return (
        <>
          The closest role is {role} on {where}. It does not contain this capability.
        </>
      );
    case "KIND_ELSEWHERE":
      return (
        <>
          It has the capability through {role}, but only on {where} and below.
        </>
      );
    case "KIND_PENDING":
      return <>The role binding waits for the person to accept it.</>;
    case "KIND_BLOCKED":
      return <>An identity provider has deactivated the person, or does not know them.</>;
    case "KIND_OUT_OF_REACH":
      return (
        <>
          It belongs to a group that is not above this resource. It has no access outside its group.
        </>
      );
    case "KIND_NO_IDENTITY":
      return <>The identity does not exist any more.</>;
    case "KIND_TOKEN_LIMITED":
      return <>The token is limited to other groups or capabilities.</>;
    default:
      return (
        <>It has no role on this resource, on a group above it, or elsewhere that you can see.</>
      );
  }
}

function Fix({ uid, name, fix }: { uid: string; name: string; fix: AccessFix }) {
  const { kind, groupUid = "", roleUid = "", roleName = "" } = fix;
  const [isOpen, setOpen] = useState(false);
  const role = <strong>{roleName}</strong>;
  if (kind === "KIND_CREATE_IDENTITY")
    return (
      <p>
        To fix this, create an identity in <GroupPath uid={groupUid} />, and bind the role {role} to
        it there.
      </p>
    );
  if (kind === "KIND_ACTIVATE_PERSON")
    return <p>To fix this, activate the person at the identity provider.</p>;
  if (kind === "KIND_ACCEPT_ROLE_BINDING") return <p>To fix this, the person accepts it.</p>;
  if (kind !== "KIND_CREATE_ROLE_BINDING")
    return <p>No role that you can see has this capability.</p>;
  return (
    <div class="identities-fix">
      <span>
        To fix this, bind the role {role} on <GroupPath uid={groupUid} />.
        {fix.needsAcceptance && " The person must then accept it."}
      </span>
      {parentOf(uid) !== "" && <Button onClick={() => setOpen(true)}>Bind this role</Button>}
      {isOpen && (
        <BindRoleDialog
          uid={uid}
          name={name}
          role={{ uid: roleUid, name: roleName }}
          on={groupUid}
          onClose={() => setOpen(false)}
        />
      )}
    </div>
  );
}
