/** An explanation of access: yes and the way, or no, what comes closest, and the one change that fixes it. */
import type { ComponentChildren } from "preact";
import { Link } from "wouter-preact";
import type { AccessEntry, AccessExplanation, AccessMiss } from "../../client/index.ts";
import { useKnownName, useNames } from "../data/names.ts";
import { shownName } from "../data/shown_name.ts";
import { parentOf } from "../data/uids.ts";
import { Badge } from "../elements/badge.tsx";
import { CapabilityNames } from "../elements/capabilities.tsx";
import { addresses } from "../frame/addresses.ts";
import { Fix } from "./fix.tsx";

type NameOf = (uid: string) => string;

/** Shows an explanation. Uids in it become names where the person can see them. */
export function Explanation({ explanation }: { explanation: AccessExplanation }) {
  const { allowed, paths = [], miss, fix, resourceUid = "", groupUid = "" } = explanation;
  const isOne = explanation.missingCapabilities?.length === 1;
  const entries = [...paths.map(({ entry }) => entry), miss?.entry];
  const nameOf = useNames([
    ...[resourceUid, groupUid, fix?.groupUid ?? ""],
    ...entries.map((entry) => entry?.groupUid ?? ""),
  ]);
  return (
    <section class="section-card access-explanation" aria-label="Answer" aria-live="polite">
      <Headline explanation={explanation} nameOf={nameOf} />
      {allowed ? (
        <Paths explanation={explanation} nameOf={nameOf} />
      ) : (
        <>
          {miss && (
            <>
              <h3>What comes closest</h3>
              <p>
                <Miss miss={miss} isOne={isOne} nameOf={nameOf} />
              </p>
            </>
          )}
          {fix && (
            <>
              <h3>The one change that gives it</h3>
              <Fix explanation={explanation} fix={fix} nameOf={nameOf} />
            </>
          )}
        </>
      )}
    </section>
  );
}

function Headline({ explanation, nameOf }: { explanation: AccessExplanation; nameOf: NameOf }) {
  const { allowed, identityUid = "", identityName, resourceUid = "" } = explanation;
  const { capabilities = [], missingCapabilities = [] } = explanation;
  const isLimited = explanation.miss?.kind === "KIND_TOKEN_LIMITED";
  const who =
    identityUid === "" ? (
      "The token"
    ) : (
      <Link href={addresses.identity(identityUid)} title={identityUid}>
        <bdi>{shownName(identityName, identityUid)}</bdi>
      </Link>
    );
  return (
    <h2 class="access-headline">
      <Badge tone={allowed ? "good" : "bad"}>{allowed ? "Yes" : "No"}</Badge>{" "}
      <span>
        {who}
        {isLimited && ", with such a token,"} {allowed ? "has" : "does not have"}{" "}
        <CapabilityNames values={allowed ? capabilities : missingCapabilities} /> on{" "}
        <bdi title={resourceUid}>{nameOf(resourceUid)}</bdi>.
      </span>
    </h2>
  );
}

function Paths({ explanation, nameOf }: { explanation: AccessExplanation; nameOf: NameOf }) {
  const { paths = [], resourceUid } = explanation;
  return (
    <>
      <h3>Why</h3>
      <ul class="access-paths">
        {paths.map(({ entry, capabilities = [] }) => (
          <li key={entry?.roleBindingUid || entry?.externalGroupRoleMappingUid || entry?.groupUid}>
            {entry && <Way entry={entry} nameOf={nameOf} resource={resourceUid} />}{" "}
            <CapabilityNames values={capabilities} />
          </li>
        ))}
      </ul>
    </>
  );
}

interface WayProps {
  entry: AccessEntry;
  nameOf: NameOf;
  resource?: string | undefined;
}

function Way({ entry, nameOf, resource }: WayProps) {
  const { groupUid = "", externalGroupId, scimGroupUid = "", scimGroupName, hidden } = entry;
  const provider = useKnownName("identityProviders", parentOf(scimGroupUid));
  if (hidden) return <>A role on {nameOf(groupUid)}, whose role bindings you cannot see, gives</>;
  const source = scimGroupUid ? (
    <>
      A role mapping of the SCIM group <bdi>{scimGroupName}</bdi> of{" "}
      <Link href={addresses.identityProvider(parentOf(scimGroupUid))}>
        {provider || "its identity provider"}
      </Link>{" "}
      gives
    </>
  ) : externalGroupId ? (
    <>
      A role mapping of the external group <bdi>{externalGroupId}</bdi> gives
    </>
  ) : (
    "A role binding gives"
  );
  return (
    <>
      {source} <RoleAt entry={entry} nameOf={nameOf} />
      {groupUid !== resource && ", which is above it"}, and that role has
    </>
  );
}

function RoleAt({ entry: { roleUid = "", roleName, groupUid = "" }, nameOf }: WayProps) {
  return (
    <>
      the role <Link href={addresses.role(roleUid)}>{shownName(roleName, roleUid)}</Link> on{" "}
      <Link href={addresses.access(groupUid)}>{nameOf(groupUid)}</Link>
    </>
  );
}

interface MissProps {
  miss: AccessMiss;
  /** Whether a single capability is missing. */
  isOne: boolean;
  nameOf: NameOf;
}

function Miss({ miss: { kind, entry }, isOne, nameOf }: MissProps) {
  const role = entry && !entry.hidden && <RoleAt entry={entry} nameOf={nameOf} />;
  const them = isOne ? "it" : "them";
  const texts: Partial<Record<NonNullable<AccessMiss["kind"]>, ComponentChildren>> = {
    KIND_NO_ROLE: "It has no role there, nor on a group above that you can see.",
    KIND_ROLE_LACKS_CAPABILITY: role ? (
      <>
        It has {role}, which does not have {isOne ? "it" : "them all"}.
      </>
    ) : (
      "It has a role there, but not one that is enough."
    ),
    KIND_ELSEWHERE: role ? (
      <>It has {role}, which is not above the resource.</>
    ) : (
      `It has ${them} on a group that is not above the resource.`
    ),
    KIND_PENDING: role ? (
      <>It has {role}, but has not accepted the role binding yet.</>
    ) : (
      `A role binding with ${them} is not accepted yet.`
    ),
    KIND_BLOCKED:
      "An identity provider of a group there has deactivated this person, or does not know them.",
    KIND_OUT_OF_REACH:
      "It belongs to a group that is not above the resource, and has no access outside that group.",
    KIND_TOKEN_LIMITED: `The identity has ${them}, but its token is limited to other groups or capabilities.`,
    KIND_NO_IDENTITY:
      "No identity of the organization accepts the token, or the identity no longer exists.",
  };
  return <>{texts[kind ?? "KIND_UNSPECIFIED"] ?? "The platform does not say more."}</>;
}
