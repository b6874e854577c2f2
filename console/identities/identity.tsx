/** One identity: what it accepts, what it may do, how to use it, and when it came. */
import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import type { Identity } from "../../client/index.ts";
import { useMay } from "../data/may.ts";
import { useParameters } from "../data/parameters.ts";
import { useClient, useSession } from "../data/platform.tsx";
import { refusalOf } from "../data/refusals.ts";
import { isPerson, parentOf, rootOf } from "../data/uids.ts";
import { Button } from "../elements/button.tsx";
import { Uid } from "../elements/copy.tsx";
import { GroupPath } from "../elements/group_path.tsx";
import { Icon } from "../elements/icon.tsx";
import { Facts, Page, Section, Views } from "../elements/page.tsx";
import { PageAnswer } from "../elements/page_answer.tsx";
import { Time } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";
import type { PageProps } from "../frame/lazy_page.tsx";
import { Accepts } from "./accepts.tsx";
import { IdentityAccess } from "./access.tsx";
import { Activity } from "./activity.tsx";
import { KeyMark, keyState, LastUse } from "./columns.tsx";
import { DeleteIdentityDialog } from "./delete_identity.tsx";
import { EditIdentity } from "./edit_identity.tsx";
import { Keys } from "./keys.tsx";
import { kindNames, kindOf } from "./kinds.ts";
import { PersonPage } from "./person.tsx";
import { Usage } from "./usage.tsx";
import { Warnings } from "./warnings.tsx";

const views = [
  ["", "Overview"],
  ["access", "Access"],
  ["use", "Setup"],
  ["keys", "Keys"],
  ["activity", "Activity"],
] as const;

export default function IdentityPage({ rest: uid }: PageProps) {
  return isPerson(uid) ? <PersonPage uid={uid} /> : <WorkloadPage uid={uid} />;
}

function WorkloadPage({ uid }: { uid: string }) {
  const client = useClient();
  const identity = useQuery({
    queryKey: ["identities", uid],
    queryFn: () => client.identities.get(uid),
  });
  return (
    <PageAnswer
      query={identity}
      title="Identity"
      path={[["Identities", addresses.identities(rootOf(uid))]]}
    >
      {(identity) => <Workload identity={identity} />}
    </PageAnswer>
  );
}

function Workload({ identity }: { identity: Identity }) {
  const { uid, name, description } = identity;
  const { get } = useParameters();
  const view = get("view");
  return (
    <Page
      title={name}
      path={[["Identities", addresses.identities(rootOf(uid))]]}
      lead={description}
      actions={<Actions identity={identity} />}
    >
      <Views
        label="Views of the identity"
        current={addresses.identity(uid, view === "edit" ? "" : view)}
        views={views.map(([key, text]) => [addresses.identity(uid, key), text])}
      />
      <View identity={identity} view={view} />
    </Page>
  );
}

function View({ identity, view }: { identity: Identity; view: string }) {
  if (view === "access") return <IdentityAccess uid={identity.uid} name={identity.name} />;
  if (view === "use") return <Usage identity={identity} />;
  if (view === "keys") return <Keys identity={identity} />;
  if (view === "activity") return <Activity uid={identity.uid} group={parentOf(identity.uid)} />;
  if (view === "edit") return <EditIdentity identity={identity} />;
  return <Overview identity={identity} />;
}

function Actions({ identity: { uid, name } }: { identity: Identity }) {
  const permissions = useMay(uid);
  const [, navigate] = useLocation();
  const [isDeleting, setDeleting] = useState(false);
  return (
    <>
      <Button
        refusal={refusalOf(permissions, "its group", "CAP_IAM_IDENTITY_UPDATE")}
        onClick={() => navigate(addresses.identity(uid, "edit"))}
      >
        Edit
      </Button>
      <Button
        kind="danger"
        refusal={refusalOf(permissions, "its group", "CAP_IAM_IDENTITY_DELETE")}
        onClick={() => setDeleting(true)}
      >
        Delete
      </Button>
      {isDeleting && (
        <DeleteIdentityDialog uid={uid} name={name} onClose={() => setDeleting(false)} />
      )}
    </>
  );
}

function Overview({ identity }: { identity: Identity }) {
  const { issuerName } = useSession().addresses;
  const { uid } = identity;
  return (
    <>
      <Renewal identity={identity} />
      <IdentityFacts identity={identity} />
      <Section
        title="What it accepts"
        actions={<Link href={addresses.tokenDoctor(rootOf(uid), uid)}>Check a token</Link>}
      >
        <Accepts relationship={identity} issuerUrl={issuerName} />
      </Section>
      <Warnings identity={identity} />
    </>
  );
}

/** Asks to renew keys before the workload stops. */
function Renewal({ identity: { uid, staticKeys } }: { identity: Identity }) {
  const state = keyState(staticKeys?.expirationTime);
  if (state === undefined) return null;
  return (
    <p class={`identities-verdict ${state === "soon" ? "warn" : "bad"}`}>
      <Icon name="warning" />{" "}
      {state === "soon" ? (
        <>
          The keys expire <Time time={staticKeys?.expirationTime} />. The identity then accepts no
          token.
        </>
      ) : (
        <>
          The keys expired <Time time={staticKeys?.expirationTime} />. The identity accepts no
          token.
        </>
      )}{" "}
      <Link href={addresses.identity(uid, "edit")}>Renew the keys</Link>
    </p>
  );
}

function IdentityFacts({ identity }: { identity: Identity }) {
  const { uid, company, email, emailUnverified, staticKeys } = identity;
  return (
    <Section title="Facts">
      <Facts
        facts={[
          [
            "Kind",
            <>
              {kindNames[kindOf(identity)]}{" "}
              {staticKeys && <KeyMark time={staticKeys.expirationTime} />}
            </>,
          ],
          [
            "Group",
            <Link key="group" href={addresses.identities(parentOf(uid))}>
              <GroupPath uid={parentOf(uid)} />
            </Link>,
          ],
          ["Last used", <LastUse key="use" identity={identity} />],
          ["Last assumed", <LastAssumed key="seen" identity={identity} />],
          ["Created", <Time key="created" time={identity.createTime} />],
          ["Changed", <Time key="changed" time={identity.updateTime} />],
          ["Email", email && <bdi>{email}</bdi>],
          ["Unverified email", emailUnverified && <bdi>{emailUnverified}</bdi>],
          ["Company", company && <bdi>{company}</bdi>],
          ["Uid", <Uid key="uid" uid={uid} />],
        ]}
      />
    </Section>
  );
}

/** The platform stores the creation as the first time. */
const LastAssumed = ({ identity: { lastSeenTime, createTime } }: { identity: Identity }) => (
  <Time time={lastSeenTime === createTime ? undefined : lastSeenTime} />
);
