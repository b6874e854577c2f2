/** A person: what is known from their roles, and for the person themselves what they have entered. */
import { useQuery } from "@tanstack/preact-query";
import type { RoleBindingIdentity } from "../../client/index.ts";
import { useCurrentGroup } from "../data/group.ts";
import { useClient, useSessionState } from "../data/platform.tsx";
import { shortUid } from "../data/uids.ts";
import { Uid } from "../elements/copy.tsx";
import { Facts, Page, Section } from "../elements/page.tsx";
import { PageAnswer } from "../elements/page_answer.tsx";
import { addresses } from "../frame/addresses.ts";
import { RoleBindings } from "./access.tsx";
import { Activity } from "./activity.tsx";
import { OwnMetadata } from "./own_metadata.tsx";
import { Question } from "./question.tsx";

export function PersonPage({ uid }: { uid: string }) {
  const client = useClient();
  const state = useSessionState();
  const { uid: group } = useCurrentGroup();
  const known = useQuery({
    queryKey: ["roleBindings", "person", uid],
    queryFn: async () => {
      const [binding] = await client.roleBindings.list({ identity: uid, pageSize: 1 }).all(1);
      return binding?.identity ?? {};
    },
  });
  const own = state.kind !== "signed-out" && state.uid === uid ? state.name : undefined;
  const isOwn = own !== undefined;
  return (
    <PageAnswer query={known} title="Person" path={[["Identities", addresses.identities(group)]]}>
      {(person) => (
        <Page
          title={nameOf(person, own, uid)}
          path={[["Identities", addresses.identities(group)]]}
          lead={isOwn ? "This is you." : undefined}
        >
          <PersonFacts uid={uid} person={person} />
          <Section title="Roles">
            <RoleBindings uid={uid} />
          </Section>
          {group !== "" && <Question uid={uid} group={group} />}
          {isOwn && <OwnMetadata />}
          {group !== "" && <Activity uid={uid} group={group} />}
        </Page>
      )}
    </PageAnswer>
  );
}

const nameOf = ({ name, email }: RoleBindingIdentity, own: string | undefined, uid: string) =>
  name || email || own || `Person ${shortUid(uid)}`;

function PersonFacts({ uid, person }: { uid: string; person: RoleBindingIdentity }) {
  const { email, issuer, subject, description } = person;
  return (
    <Section title="Facts">
      <Facts
        facts={[
          ["Kind", "Person"],
          ["Email", email && <bdi>{email}</bdi>],
          ["Description", description && <bdi>{description}</bdi>],
          ["Issuer", issuer && <bdi>{issuer}</bdi>],
          ["Subject", subject && <bdi>{subject}</bdi>],
          ["Uid", <Uid key="uid" uid={uid} />],
        ]}
      />
      <p class="pale identities-last">
        A person belongs to no group. They sign in through an identity provider, and can have roles
        in several organizations. You see the roles in the groups whose role bindings you can list.
      </p>
    </Section>
  );
}
