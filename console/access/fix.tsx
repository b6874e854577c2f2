/** The one change that gives a missing access. Where the console can make it, a button does. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import type { AccessExplanation, AccessFix } from "../../client/index.ts";
import { useMay } from "../data/may.ts";
import { refusalOf } from "../data/refusals.ts";
import { shownName } from "../data/shown_name.ts";
import { Button } from "../elements/button.tsx";
import { capabilityName } from "../elements/capabilities.tsx";
import { Uid } from "../elements/copy.tsx";
import { addresses } from "../frame/addresses.ts";
import { GiveAccessDialog } from "./give_access.tsx";

interface FixProps {
  explanation: AccessExplanation;
  fix: AccessFix;
  nameOf: (uid: string) => string;
}

export function Fix({ explanation, fix, nameOf }: FixProps) {
  const { groupUid = "", roleUid = "", roleName, roleBindingUid = "" } = fix;
  const group = <Link href={addresses.access(groupUid)}>{nameOf(groupUid)}</Link>;
  const role = (
    <>
      the role <Link href={addresses.role(roleUid)}>{roleName}</Link> on {group}
    </>
  );
  const texts: Partial<Record<NonNullable<AccessFix["kind"]>, ComponentChildren>> = {
    KIND_CREATE_ROLE_BINDING: (
      <>Give it {role}. It is the smallest role with everything that is missing.</>
    ),
    KIND_ACCEPT_ROLE_BINDING: (
      <>
        The person accepts the role binding <Uid uid={roleBindingUid} /> on {group}. They can do so
        at their next sign-in through an identity provider of the organization.
      </>
    ),
    KIND_CREATE_IDENTITY: (
      <>
        <Link href={addresses.identities(groupUid)}>Create an identity</Link> in {group}, and give
        it {role}. This identity cannot get access there.
      </>
    ),
    KIND_ACTIVATE_PERSON: (
      <>
        Activate the person at the identity provider, or let them sign in through another one.
        {roleUid !== "" && <> Also give them {role}.</>}
      </>
    ),
    KIND_USE_OTHER_TOKEN: "Use a token without these limits.",
    KIND_NO_ROLE: <NoRole explanation={explanation} />,
  };
  return (
    <>
      <p>{texts[fix.kind ?? "KIND_UNSPECIFIED"] ?? explanation.summary}</p>
      {fix.needsAcceptance && (
        <p>The person comes from outside the organization, and has to accept the role.</p>
      )}
      {fix.needsOtherToken && fix.kind !== "KIND_USE_OTHER_TOKEN" && (
        <p>The call also needs a token whose limits include it.</p>
      )}
      {fix.kind === "KIND_CREATE_ROLE_BINDING" && (
        <ApplyFix explanation={explanation} fix={fix} nameOf={nameOf} />
      )}
    </>
  );
}

function NoRole({ explanation }: { explanation: AccessExplanation }) {
  const [missing] = explanation.missingCapabilities ?? [];
  const group = explanation.groupUid ?? "";
  const start = missing ? { capability: capabilityName(missing) } : {};
  return (
    <>
      No role that you can see has them all.{" "}
      <Link href={addresses.newRole(group, start)}>Create one</Link>, or ask the operator if they
      are internal.
    </>
  );
}

/** Shows the preview of the role binding, and creates it. */
function ApplyFix({ explanation, fix, nameOf }: FixProps) {
  const [isOpen, setOpen] = useState(false);
  const { groupUid = "", roleUid = "", roleName = "", identityUid = "" } = fix;
  const permissions = useMay(groupUid);
  const refusal = refusalOf(permissions, nameOf(groupUid), "CAP_IAM_ROLE_BINDINGS_CREATE");
  const name = shownName(explanation.identityName, identityUid);
  return (
    <>
      <Button
        kind="primary"
        onClick={() => setOpen(true)}
        refusal={refusal && `${refusal} Send this page to an owner.`}
      >
        Give {roleName}
      </Button>
      {isOpen && (
        <GiveAccessDialog
          group={{ uid: groupUid, name: nameOf(groupUid), kind: "group" }}
          start={{ identity: { uid: identityUid, name }, role: { uid: roleUid, name: roleName } }}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
